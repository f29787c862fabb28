/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a session prints is a hostile user's: root reads it line by line, and takes some lines for
 * results of attempts. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_call(const struct call *call)
{
    if (call->result > ATTEMPT_UNTRIED ||
        strnlen(call->text, sizeof call->text) == sizeof call->text)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_close_ int fd = memfd_create("fuzz-visit", MFD_CLOEXEC);
    struct call calls[] = { CALL("first"), CALL("second") };
    struct visit visit = { .calls = calls, .n = 2, .out = fd };
    struct probe_run run = { .probe = probes };
    char line[64];
    size_t n_lines = 0;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    clock_gettime(CLOCK_MONOTONIC, &visit.deadline);
    visit.deadline.tv_sec += 60;

    while (visit_line(&visit, line, sizeof line))
        if (++n_lines > size)
            abort();
    if (visit.answered > visit.n || visit.filled > sizeof visit.buffer)
        abort();
    for (size_t i = 0; i < visit.n; i++) {
        check_call(&calls[i]);
        /* What was not answered must not read as a protection. */
        if (i >= visit.answered && calls[i].result != ATTEMPT_UNTRIED)
            abort();
        place_judge(&run, &calls[i]);
    }
    for (size_t i = 0; i < run.findings.n; i++)
        for (const char *c = run.findings.list[i].text; *c; c++)
            if ((unsigned char)*c < ' ' || *c == '\177')
                abort();
    findings_done(&run.findings);
    return 0;
}
