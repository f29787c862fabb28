/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/log-format.h"
#include "proxy/log-journal.h"

#define SECOND 1000000ULL
#define BURST_USEC (10 * SECOND)
/* How often it is said that the file cannot be written. */
#define COMPLAINT_USEC (60 * SECOND)

struct log {
    char *sandbox;
    char *directory, *name, *old_name;
    char *journal; /* its socket */
    int fd;        /* -EBADF: it could not be opened */
    uint64_t size; /* of the file */
    bool torn;     /* its last line was not written to its end */
    uint64_t lost;
    uint64_t complained_usec;

    uint64_t burst_usec; /* when the interval began */
    unsigned burst[2];   /* entries in it: of what did not pass, and of what did */
    uint64_t left_out;   /* entries that the journal did not get, not said yet */
};

static uint64_t now_usec(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec / 1000;
}

static int open_file(struct log *log)
{
    _cleanup_close_ int directory_fd =
        open(log->directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    _cleanup_close_ int fd = -EBADF;
    struct stat st;
    char last = '\n';

    if (directory_fd < 0)
        return -errno;
    fd = openat(directory_fd, log->name,
                O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    log->size = (uint64_t)st.st_size;
    /* Of a process that was killed, or of a full disk. */
    if (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1)
        return -EIO;
    log->torn = last != '\n';
    log->fd = steal_fd(&fd);
    return 0;
}

/* Begins a new file. Where that is not possible, the old one is emptied: it stays bounded. */
static int rotate(struct log *log)
{
    _cleanup_close_ int directory_fd =
        open(log->directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (directory_fd < 0 || renameat(directory_fd, log->name, directory_fd, log->old_name) < 0) {
        if (ftruncate(log->fd, 0) < 0)
            return -errno;
        log->size = 0;
        log->torn = false;
        return 0;
    }
    cleanup_closep(&log->fd);
    log->fd = -EBADF;
    return open_file(log);
}

/* All of it, or an error; what was torn off is remembered. */
static int append(struct log *log, const char *line)
{
    struct iovec parts[] = {
        { .iov_base = "\n", .iov_len = log->torn ? 1 : 0 },
        { .iov_base = (char *)line, .iov_len = strlen(line) },
        { .iov_base = "\n", .iov_len = 1 },
    };
    const size_t whole = parts[0].iov_len + parts[1].iov_len + 1;
    ssize_t n;

    do
        n = writev(log->fd, parts, 3);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    log->size += (size_t)n;
    if (n > 0)
        log->torn = (size_t)n < whole;
    return (size_t)n < whole ? -ENOSPC : 0;
}

/* priority as in syslog(3). 0 or a negative errno. */
static int tell(const struct log *log, const char *id, int priority, const char *message,
                const char *const *more)
{
    _cleanup_free_ char *id_field = NULL, *sandbox = NULL, *text = NULL;
    const char priority_field[] = { 'P', 'R', 'I', 'O', 'R',
                                    'I', 'T', 'Y', '=', (char)('0' + priority),
                                    '\0' };
    const char *fields[16] = { priority_field, "SYSLOG_IDENTIFIER=pam-sandbox-egress" };
    size_t n = 2;

    if (asprintf(&id_field, "MESSAGE_ID=%s", id) < 0 ||
        asprintf(&sandbox, "SANDBOX=%s", log->sandbox) < 0 ||
        asprintf(&text, "MESSAGE=%s: %s", log->sandbox, message) < 0)
        return -ENOMEM;
    fields[n++] = id_field;
    fields[n++] = sandbox;
    fields[n++] = text;
    while (*more && n < 15)
        fields[n++] = *more++;
    return log_journal_send(log->journal, fields);
}

static int tell_number(const struct log *log, int priority, const char *message, uint64_t n)
{
    char field[64];

    (void)snprintf(field, sizeof field, "EGRESS_LOST=%" PRIu64, n);
    return tell(log, LOG_MESSAGE_LOST, priority, message, (const char *const[]){ field, NULL });
}

static void complain(struct log *log, int error)
{
    const uint64_t now = now_usec(CLOCK_BOOTTIME);
    char message[512];

    if (log->complained_usec != 0 && now - log->complained_usec < COMPLAINT_USEC)
        return;
    log->complained_usec = now;
    (void)snprintf(message, sizeof message,
                   "%s/%s cannot be written: %s; %" PRIu64 " records of requests are not in it. "
                   "Make room, or make it writable for the proxy's user",
                   log->directory, log->name, strerror(-error), log->lost);
    (void)tell_number(log, LOG_ERR, message, log->lost);
}

static int write_lost(struct log *log)
{
    _cleanup_free_ char *line = NULL;
    int r = log_format_lost(log->sandbox, now_usec(CLOCK_REALTIME), log->lost, &line);

    if (r == 0)
        r = append(log, line);
    if (r == 0)
        log->lost = 0;
    return r;
}

/* line: the record as JSON; NULL with the error that it met. */
static void write_file(struct log *log, const char *line, int error)
{
    int r = error;

    if (r == 0 && log->fd < 0)
        r = open_file(log);
    if (r == 0 && log->size >= LOG_FILE_MAX)
        r = rotate(log);
    if (r == 0 && log->lost > 0)
        r = write_lost(log);
    if (r == 0)
        r = append(log, line);
    if (r < 0) {
        log->lost++;
        complain(log, r);
    }
}

/* Of each kind so many: who is confined must not be able to fill the journal with either. */
static bool is_within_burst(struct log *log, bool passed)
{
    const uint64_t now = now_usec(CLOCK_BOOTTIME);

    if (now - log->burst_usec >= BURST_USEC) {
        log->burst_usec = now;
        log->burst[0] = log->burst[1] = 0;
    }
    return log->burst[passed]++ < LOG_JOURNAL_BURST;
}

static int tell_left_out(struct log *log)
{
    char message[512];
    int r;

    (void)snprintf(message, sizeof message, "%" PRIu64 " records of requests are in %s/%s alone",
                   log->left_out, log->directory, log->name);
    r = tell_number(log, LOG_WARNING, message, log->left_out);
    if (r == 0)
        log->left_out = 0;
    return r;
}

static int write_journal(struct log *log, const struct log_record *record, const char *line)
{
    _cleanup_free_ char *host = NULL, *reason = NULL, *json = NULL;
    const bool passed = record->allowed && !record->reason;
    char message[2 * LOG_TEXT_MAX];
    const char *fields[8];
    size_t n = 0;
    int r;

    if (!is_within_burst(log, passed))
        return -EAGAIN;
    if (log->left_out > 0 && (r = tell_left_out(log)) < 0)
        return r;
    log_format_text(record, message, sizeof message);
    fields[n++] = record->allowed ? "EGRESS_DECISION=allowed" : "EGRESS_DECISION=refused";
    if (log_format_field("EGRESS_HOST", record->host, &host) < 0 ||
        log_format_field("EGRESS_REASON", record->reason, &reason) < 0 ||
        (line && asprintf(&json, "EGRESS_RECORD=%s", line) < 0))
        return -ENOMEM;
    if (host)
        fields[n++] = host;
    if (reason)
        fields[n++] = reason;
    if (json)
        fields[n++] = json;
    fields[n] = NULL;
    return tell(log, LOG_MESSAGE_REQUEST, passed ? LOG_INFO : LOG_NOTICE, message, fields);
}

void log_write(struct log *log, const struct log_record *record)
{
    _cleanup_free_ char *line = NULL;
    const int r = log_format_json(log->sandbox, record, &line);

    write_file(log, line, r);
    if (write_journal(log, record, line) < 0)
        log->left_out++;
}

uint64_t log_lost(const struct log *log)
{
    return log->lost;
}

int log_new(const char *directory, const char *sandbox, const char *journal, struct log **ret)
{
    _cleanup_(log_freep) struct log *log = calloc(1, sizeof *log);
    int r;

    if (!log)
        return -ENOMEM;
    log->fd = -EBADF;
    log->sandbox = strdup(sandbox);
    log->directory = strdup(directory);
    log->journal = strdup(journal);
    if (!log->sandbox || !log->directory || !log->journal ||
        asprintf(&log->name, "%s" LOG_SUFFIX, sandbox) < 0 ||
        asprintf(&log->old_name, "%s" LOG_OLD_SUFFIX, sandbox) < 0)
        return -ENOMEM;
    r = open_file(log);
    if (r < 0)
        complain(log, r);
    *ret = steal_ptr(log);
    return 0;
}

void log_free(struct log *log)
{
    if (!log)
        return;
    if (log->left_out > 0)
        (void)tell_left_out(log);
    if (log->lost > 0) { /* once more, if there is room meanwhile */
        if (log->fd < 0)
            (void)open_file(log);
        if (log->fd >= 0)
            (void)write_lost(log);
    }
    cleanup_closep(&log->fd);
    free(log->sandbox);
    free(log->directory);
    free(log->journal);
    free(log->name);
    free(log->old_name);
    free(log);
}
