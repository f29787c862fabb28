/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/preempt.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bpf/preempt-skeleton.h"
#include "conf/cleanup.h"

bool preempt_matters(enum policy_mode mode, const char *release)
{
    unsigned major, minor;

    if (mode == MODE_FMOD_RET || sscanf(release, "%u.%u", &major, &minor) != 2)
        return true;
    return major < 6 || (major == 6 && minor < 2);
}

int preempt_is_built_in(const char *version)
{
    if (strstr(version, "PREEMPT_DYNAMIC"))
        return -EAGAIN;
    return strstr(version, "PREEMPT") != NULL;
}

static int ask(void)
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    struct preempt_bpf *object = preempt_bpf__open_and_load();
    if (!object)
        return -errno;

    int r = bpf_prog_test_run_opts(bpf_program__fd(object->progs.preempt_ask), &options);
    preempt_bpf__destroy(object);
    if (r < 0)
        return r;
    int mode = (int)options.retval;
    return mode != PREEMPT_NONE && mode != PREEMPT_VOLUNTARY;
}

int preempt_may_skip(enum policy_mode mode)
{
    struct utsname kernel;

    if (uname(&kernel) < 0)
        return -errno;
    if (!preempt_matters(mode, kernel.release))
        return 0;
    int r = preempt_is_built_in(kernel.version);
    return r == -EAGAIN ? ask() : r;
}
