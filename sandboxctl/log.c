/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl log: what the proxies passed on, and what they did not. */
#include "proxy/log.h"
#include "conf/cleanup.h"
#include "conf/paths.h"
#include "sandboxctl/door-ask.h"
#include "sandboxctl/log-file.h"
#include "sandboxctl/log-summary.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

struct logs {
    struct log_file *files;
    struct log_entry *entries; /* of each file's current line; time NULL: it has none now */
    size_t n;
    struct log_summary summary;
    bool json, color;
};

static void logs_done(struct logs *logs)
{
    for (size_t i = 0; i < logs->n; i++) {
        log_file_close(&logs->files[i]);
        log_entry_done(&logs->entries[i]);
    }
    free(logs->files);
    free(logs->entries);
    log_summary_done(&logs->summary);
}

static int add_log(struct logs *logs, int directory_fd, const char *sandbox)
{
    struct log_file *files = reallocarray(logs->files, logs->n + 1, sizeof(*files));
    if (!files)
        return -ENOMEM;
    logs->files = files;
    struct log_entry *entries = reallocarray(logs->entries, logs->n + 1, sizeof(*entries));
    if (!entries)
        return -ENOMEM;
    logs->entries = entries;

    int r = log_file_open(directory_fd, sandbox, &files[logs->n]);
    if (r < 0)
        log_file_close(&files[logs->n]);
    else
        entries[logs->n++] = (struct log_entry){};
    return r;
}

static int add_all(struct logs *logs, int directory_fd)
{
    _cleanup_closedir_ DIR *directory = NULL;
    int r = 0;

    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        return -errno;
    for (struct dirent *entry; r == 0 && (entry = readdir(directory));) {
        const size_t n = strlen(entry->d_name), suffix = strlen(LOG_SUFFIX);
        _cleanup_free_ char *sandbox = NULL;

        if (n <= suffix || strcmp(entry->d_name + n - suffix, LOG_SUFFIX) != 0)
            continue;
        sandbox = strndup(entry->d_name, n - suffix);
        r = sandbox ? add_log(logs, directory_fd, sandbox) : -ENOMEM;
        if (r == -ENOENT) /* gone since, or no file */
            r = 0;
    }
    return r;
}

/* Goes to the file's next entry, past what is none. 1, 0: not now, or a negative errno. */
static int next_entry(struct logs *logs, size_t i)
{
    int r;

    log_entry_done(&logs->entries[i]);
    while ((r = log_file_next(&logs->files[i])) > 0) {
        r = log_entry_parse(logs->files[i].line, &logs->entries[i]);
        if (r == 0)
            return 1;
        if (r != -EINVAL)
            break;
    }
    return r;
}

static int show(struct logs *logs, const struct log_entry *entry, const char *line)
{
    int r = log_summary_add(&logs->summary, entry);

    if (r == 0 && logs->json)
        puts(line);
    else if (r == 0)
        log_entry_print(entry, logs->color, stdout);
    return r;
}

/* All there is now, in the order of time: RFC 3339 of one length sorts as text. */
static int show_all(struct logs *logs)
{
    for (;;) {
        size_t first = logs->n;

        for (size_t i = 0; i < logs->n; i++) {
            int r = logs->entries[i].time ? 1 : next_entry(logs, i);
            if (r < 0)
                return r;
            if (r > 0 &&
                (first == logs->n || strcmp(logs->entries[i].time, logs->entries[first].time) < 0))
                first = i;
        }
        if (first == logs->n)
            return fflush(stdout) == 0 ? 0 : -errno;
        int r = show(logs, &logs->entries[first], logs->files[first].line);
        if (r < 0)
            return r;
        log_entry_done(&logs->entries[first]);
    }
}

/* Returns 0 when it was told to end. */
static int follow(struct logs *logs, int directory_fd)
{
    _cleanup_close_ int inotify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), signal_fd = -EBADF;
    char path[64];
    sigset_t signals;
    int r = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", directory_fd);
    if (inotify_fd < 0 || signal_fd < 0 ||
        inotify_add_watch(inotify_fd, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0)
        return -errno;

    for (;;) {
        struct pollfd fds[] = {
            { .fd = inotify_fd, .events = POLLIN },
            { .fd = signal_fd, .events = POLLIN },
        };
        char events[4096];

        r = show_all(logs);
        if (r < 0 || (poll(fds, 2, -1) < 0 && errno != EINTR))
            return r < 0 ? r : -errno;
        if (fds[1].revents)
            return 0;
        while (read(inotify_fd, events, sizeof(events)) > 0)
            ;
    }
}

/* A door_line_t. */
static int show_line(const char *line, void *userdata)
{
    struct log_entry entry;
    int r = log_entry_parse(line, &entry);

    if (r == -EINVAL)
        return 0;
    if (r == 0)
        r = show(userdata, &entry, line);
    log_entry_done(&entry);
    return r;
}

/* For who may not read the files, and may enter the sandbox. The door tells what there is and where
 * it ends; for more it is asked again. */
static int ask(struct logs *logs, const char *sandbox, bool following)
{
    const struct timespec pause = { .tv_sec = 1 };
    struct door_answer answer = { 0 };
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (following)
        sigprocmask(SIG_BLOCK, &signals, NULL);
    do {
        _cleanup_(sd_json_variant_unrefp) sd_json_variant *parameters = NULL;
        int r = sd_json_buildo(&parameters, SD_JSON_BUILD_PAIR_UNSIGNED("offset", answer.offset));

        if (r < 0)
            return say_error(r, "cannot ask for the log"), r;
        r = door_ask("Log", sandbox, parameters, "cannot read the log", show_line, logs, &answer);
        if (r < 0)
            return r;
        if (fflush(stdout) != 0)
            return -errno;
    } while (following && sigtimedwait(&signals, NULL, &pause) < 0);
    return 0;
}

static int print_summary(struct logs *logs)
{
    if (logs->json)
        return EXIT_SUCCESS;
    putchar('\n');
    int r = log_summary_print(&logs->summary, stdout);
    return r < 0 ? say_error(r, "cannot sum up") : EXIT_SUCCESS;
}

static int open_directory(const char *root)
{
    _cleanup_free_ char *path = NULL;

    if (asprintf(&path, "%s" EGRESS_LOG_DIR, root) < 0)
        return say_error(ENOMEM, "cannot open the logs"), -ENOMEM;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    int r = -errno;
    if (r != -EACCES)
        say_error(r, "cannot open %s%s", path, r == -ENOENT ? ", no proxy has run" : "");
    return r;
}

int verb_log(int argc, char **argv)
{
    _cleanup_(logs_done) struct logs logs = { .color = say_is_terminal(STDOUT_FILENO) };
    _cleanup_close_ int directory_fd = -EBADF;
    const char *root = "";
    bool following = false;
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_FOLLOW:
            following = true;
            break;
        case OPTION_JSON:
            logs.json = true;
            break;
        case OPTION_ROOT:
            root = optarg;
            break;
        default:
            return EXIT_USAGE;
        }

    directory_fd = open_directory(root);
    if (directory_fd == -EACCES)
        return ask(&logs, optind < argc ? argv[optind] : NULL, following) < 0
                   ? EXIT_FAILURE
                   : print_summary(&logs);
    if (directory_fd < 0)
        return EXIT_FAILURE;
    int r =
        optind < argc ? add_log(&logs, directory_fd, argv[optind]) : add_all(&logs, directory_fd);
    if (r == -ENOENT)
        return say_error(0, "there is no log of a sandbox \"%s\"", argv[optind]);
    if (r == 0)
        r = following ? follow(&logs, directory_fd) : show_all(&logs);
    if (r < 0)
        return say_error(r, "cannot read the logs in " EGRESS_LOG_DIR);
    return print_summary(&logs);
}
