/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is answered about a sandbox without a session in it. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "entry/interface.h"
#include "entry/request.h"
#include "entry/spawn.h"
#include "entry/worker.h"
#include "proxy/log.h"
#include "reaper/reap.h"

#define REAP_MSEC 30000
/* Of a log, in one reply. */
#define PIECE_MAX (256U << 10)

struct question {
    const char *sandbox;
    bool force;
    uint64_t offset;
};

#define SANDBOX_FIELD                                                                              \
    { "sandbox", SD_JSON_VARIANT_STRING, sd_json_dispatch_const_string,                            \
      offsetof(struct question, sandbox), SD_JSON_NULLABLE }

/* Returns 1 and who is asked about; 0 after an error was sent. */
static int read_question(sd_varlink *link, sd_json_variant *parameters,
                         const sd_json_dispatch_field fields[], struct worker *worker,
                         struct question *question, const struct config_sandbox **ret)
{
    int r = sd_varlink_dispatch(link, parameters, fields, question);

    if (r != 0)
        return r < 0 ? r : 0;
    return worker_find_sandbox(worker, question->sandbox, ret);
}

int method_reap(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                void *userdata)
{
    static const sd_json_dispatch_field fields[] = {
        SANDBOX_FIELD,
        { "force", SD_JSON_VARIANT_BOOLEAN, request_dispatch_flag, offsetof(struct question, force),
          SD_JSON_NULLABLE },
        { 0 },
    };
    struct question question = { 0 };
    const struct config_sandbox *sandbox;
    int r;

    (void)flags;
    r = read_question(link, parameters, fields, userdata, &question, &sandbox);
    if (r <= 0)
        return r;
    r = reap_user(sandbox->uid, question.force, REAP_MSEC);
    if (r == -EBUSY)
        return sd_varlink_error(link, ENTRY_ERROR_BUSY, NULL);
    return r < 0 ? sd_varlink_error_errno(link, r) : sd_varlink_reply(link, NULL);
}

/* Cuts whole lines off buffer; returns how many bytes they are, and the lines. */
static int split_lines(char *buffer, size_t size, size_t *ret_size, sd_json_variant **ret)
{
    _cleanup_strv_ char **lines = calloc(1, sizeof *lines);
    size_t n = 0, done = 0;

    if (!lines)
        return -ENOMEM;
    for (char *end; (end = memchr(buffer + done, '\n', size - done));
         done = (size_t)(end - buffer) + 1) {
        char **more = reallocarray(lines, n + 2, sizeof *lines);

        if (!more)
            return -ENOMEM;
        lines = more;
        lines[n] = strndup(buffer + done, (size_t)(end - buffer) - done);
        if (!lines[n])
            return -ENOMEM;
        lines[++n] = NULL;
    }
    *ret_size = done;
    return sd_json_variant_new_array_strv(ret, lines);
}

static int send_piece(sd_varlink *link, int fd, uint64_t *offset, bool more)
{
    _cleanup_free_ char *buffer = malloc(PIECE_MAX);
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *lines = NULL;
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *reply = NULL;
    size_t size;
    ssize_t n;
    int r;

    if (!buffer)
        return -ENOMEM;
    n = pread(fd, buffer, PIECE_MAX, (off_t)*offset);
    if (n < 0)
        return -errno;
    r = split_lines(buffer, (size_t)n, &size, &lines);
    if (r < 0)
        return r;
    *offset += size;
    more = more && size > 0;
    r = sd_json_buildo(&reply, SD_JSON_BUILD_PAIR_VARIANT("lines", lines),
                       SD_JSON_BUILD_PAIR_UNSIGNED("offset", *offset));
    if (r >= 0)
        r = more ? sd_varlink_notify(link, reply) : sd_varlink_reply(link, reply);
    return r < 0 ? r : more;
}

int method_log(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
               void *userdata)
{
    static const sd_json_dispatch_field fields[] = {
        SANDBOX_FIELD,
        { "offset", SD_JSON_VARIANT_UNSIGNED, request_dispatch_number,
          offsetof(struct question, offset), SD_JSON_NULLABLE },
        { 0 },
    };
    struct question question = { 0 };
    const struct config_sandbox *sandbox;
    _cleanup_free_ char *path = NULL;
    _cleanup_close_ int fd = -1;
    struct stat st;
    int r;

    r = read_question(link, parameters, fields, userdata, &question, &sandbox);
    if (r <= 0)
        return r;
    if (asprintf(&path, EGRESS_LOG_DIR "/%s" LOG_SUFFIX, sandbox->name) < 0)
        return -ENOMEM;
    /* The directory is the proxies', who are not to choose what root reads. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return sd_varlink_error_errno(link, -errno);
    if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
        return sd_varlink_error_errno(link, -EBADF);
    if (question.offset > (uint64_t)st.st_size) /* it began anew meanwhile */
        question.offset = 0;
    do
        r = send_piece(link, fd, &question.offset, flags & SD_VARLINK_METHOD_MORE);
    while (r > 0 && (r = sd_varlink_flush(link)) >= 0);
    return r < 0 ? r : 0;
}

/* Runs a program, each line of which is a reply, and ends with its exit status. */
static int send_output(sd_varlink *link, char *const *arguments)
{
    static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8", NULL };
    _cleanup_free_ char *line = NULL;
    _cleanup_fclose_ FILE *output = NULL;
    int ends[2], status, r;
    size_t size = 0;
    ssize_t n;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    r = spawn_start(&(struct spawn){ .arguments = arguments,
                                     .environment = (char *const *)environment,
                                     .streams = { -1, ends[1], STDERR_FILENO } },
                    &pid);
    close(ends[1]);
    output = fdopen(ends[0], "re");
    if (r < 0 || !output) {
        close(ends[0]);
        return r < 0 ? sd_varlink_error_errno(link, r) : -ENOMEM;
    }
    while (r >= 0 && (n = getline(&line, &size, output)) > 0) {
        line[n - 1] = line[n - 1] == '\n' ? '\0' : line[n - 1];
        r = sd_varlink_notifybo(link, SD_JSON_BUILD_PAIR_STRING("line", line));
        if (r >= 0)
            r = sd_varlink_flush(link);
    }
    if (r < 0)
        kill(pid, SIGTERM);
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    if (r < 0)
        return r;
    return sd_varlink_replybo(
        link, SD_JSON_BUILD_PAIR_INTEGER("exitStatus", WIFEXITED(status) ? WEXITSTATUS(status)
                                                                         : 128 + WTERMSIG(status)));
}

int method_denials(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                   void *userdata)
{
    static const sd_json_dispatch_field fields[] = { SANDBOX_FIELD, { 0 } };
    struct question question = { 0 };
    const struct config_sandbox *sandbox;
    int r;

    if (!(flags & SD_VARLINK_METHOD_MORE))
        return sd_varlink_error(link, SD_VARLINK_ERROR_EXPECTED_MORE, NULL);
    r = read_question(link, parameters, fields, userdata, &question, &sandbox);
    if (r <= 0)
        return r;
    return send_output(link,
                       (char *const[]){ (char *)"/usr/bin/sandboxctl", (char *)"denials",
                                        (char *)"--json", (char *)"--", sandbox->name, NULL });
}

int method_check(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                 void *userdata)
{
    static const sd_json_dispatch_field fields[] = { SANDBOX_FIELD, { 0 } };
    struct question question = { 0 };
    const struct config_sandbox *sandbox;
    _cleanup_free_ char *unit = NULL;
    int r;

    if (!(flags & SD_VARLINK_METHOD_MORE))
        return sd_varlink_error(link, SD_VARLINK_ERROR_EXPECTED_MORE, NULL);
    r = read_question(link, parameters, fields, userdata, &question, &sandbox);
    if (r <= 0)
        return r;
    /* It needs all that root may do, and this process does not have that. One at a time. */
    if (asprintf(&unit, "--unit=pam-sandbox-check-%" PRIu32 ".service", sandbox->uid) < 0)
        return -ENOMEM;
    return send_output(link,
                       (char *const[]){ (char *)"/usr/bin/systemd-run", (char *)"--quiet",
                                        (char *)"--collect", (char *)"--pipe", (char *)"--wait",
                                        unit, (char *)"--", (char *)"/usr/bin/sandboxctl",
                                        (char *)"check", (char *)"--", sandbox->name, NULL });
}
