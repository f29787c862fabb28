/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-login.h>

#include "conf/cleanup.h"
#include "pam_sandbox/limits.h"

#define LIMIT(field)                                                                               \
    static uint64_t limit_##field(const struct config_limits *limits)                              \
    {                                                                                              \
        return limits->field;                                                                      \
    }
LIMIT(tasks)
LIMIT(memory)
LIMIT(cpu_weight)
LIMIT(io_weight)
LIMIT(runtime_usec)
#undef LIMIT

/* systemd src/login/pam_systemd.c, pam_sm_open_session(). */
const struct limits_item limits_items[] = {
    { "systemd.tasks_max", limit_tasks, "" },
    { "systemd.memory_max", limit_memory, "" },
    { "systemd.cpu_weight", limit_cpu_weight, "" },
    { "systemd.io_weight", limit_io_weight, "" },
    { "systemd.runtime_max_sec", limit_runtime_usec, "us" },
    { NULL },
};

int limits_format(const struct limits_item *item, const struct config_limits *limits, char **ret)
{
    uint64_t value = item->value(limits);

    if (value == CONFIG_UNLIMITED) {
        *ret = NULL;
        return 0;
    }

    return asprintf(ret, "%" PRIu64 "%s", value, item->unit) < 0 ? -ENOMEM : 0;
}

int limits_set_process(const struct config_limits *limits)
{
    struct rlimit files = { .rlim_cur = limits->open_files, .rlim_max = limits->open_files };
    struct rlimit now;

    if (limits->open_files == CONFIG_UNLIMITED)
        return 0;
    if (setrlimit(RLIMIT_NOFILE, &files) == 0)
        return 0;
    if (errno != EPERM || getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_max > limits->open_files)
        return -errno;

    /* The host allows even less, and this process may not raise it: setrlimit(2), fs.nr_open. */
    files.rlim_cur = files.rlim_max = now.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &files) < 0 ? -errno : 0;
}

int limits_count_sessions(uid_t uid)
{
    _cleanup_strv_ char **sessions = NULL;
    int count = 0, r;

    r = sd_uid_get_sessions(uid, 0, &sessions);
    if (r < 0)
        return r == -ENXIO || r == -ENODATA ? 0 : r;

    for (char **id = sessions; id && *id; id++) {
        _cleanup_free_ char *class = NULL, *state = NULL;

        /* A session that is gone between the two calls is none. */
        if (sd_session_get_class(*id, &class) < 0 || sd_session_get_state(*id, &state) < 0)
            continue;
        if (strncmp(class, "manager", strlen("manager")) != 0 && strcmp(state, "closing") != 0)
            count++;
    }

    return count;
}
