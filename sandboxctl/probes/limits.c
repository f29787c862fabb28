/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits, tried at the limit where that harms nobody: never while other sessions of the sandbox are
 * open, which share it, and never where the host itself could run short first. There the value that
 * the kernel holds is compared, and the finding says so. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-login.h>

#define SLICE_FORMAT "/sys/fs/cgroup/user.slice/user-%u.slice/%s"

/* What one idle thread costs a host, generously: its kernel stack, structures and page tables. */
#define TASK_COST UINT64_C(65536)
#define MAX_TASKS UINT64_C(20000)
#define MAX_MEMORY (UINT64_C(2) << 30)
/* A session that ends by itself in this time is waited for. */
#define MAX_RUNTIME_SECONDS 10

__attribute__((noreturn)) static void *idle(void *argument)
{
    (void)argument;
    for (;;)
        pause();
}

/* tasks COUNT [within]: gets through when it has that many threads more. With "within" it does not
 * go past RLIMIT_NPROC, which is another limit than the one meant. */
enum attempt_result attempt_tasks(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, n;
    struct rlimit limit;
    pthread_attr_t attributes;
    int r = 0;

    if (count == 0)
        return attempt_say(ATTEMPT_UNTRIED, "no number of tasks");
    if (argc > 2 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < count + 64)
        count = limit.rlim_cur > 64 ? limit.rlim_cur - 64 : 1;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    for (n = 0; n < count && r == 0; n++) {
        pthread_t thread;
        r = pthread_create(&thread, &attributes, idle, NULL);
    }
    pthread_attr_destroy(&attributes);
    if (r == 0)
        return attempt_say(ATTEMPT_THROUGH, "%lu tasks: made", count);
    if (r != EAGAIN)
        return attempt_say(ATTEMPT_UNTRIED, "%lu tasks: %s", count, strerror(r));
    return attempt_say(ATTEMPT_REFUSED, "%lu tasks: %s after %lu", count, strerror(r), n - 1);
}

/* memory BYTES: gets through when it has that much more in use. */
enum attempt_result attempt_memory(int argc, char **argv)
{
    size_t size = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    int status;
    pid_t pid;

    if (size == 0)
        return attempt_say(ATTEMPT_UNTRIED, "no amount of memory");
    pid = fork();
    if (pid < 0)
        return attempt_say(ATTEMPT_UNTRIED, "fork: %m");
    if (pid == 0) {
        /* The first to be killed, and not the session that waits for it. */
        int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        char *memory;

        if (fd < 0 || write(fd, "1000", 4) != 4)
            _exit(2);
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            _exit(1);
        for (size_t i = 0; i < size; i += 4096)
            memory[i] = 1;
        _exit(0);
    }
    if (waitpid(pid, &status, 0) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "waitpid: %m");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return attempt_say(ATTEMPT_REFUSED, "%zu bytes of memory: killed", size);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        return attempt_say(ATTEMPT_REFUSED, "%zu bytes of memory: not given", size);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return attempt_say(ATTEMPT_THROUGH, "%zu bytes of memory: used", size);
    return attempt_say(ATTEMPT_UNTRIED, "%zu bytes of memory: wait status %d", size, status);
}

/* runtime SECONDS: tells that it is there, and gets through when it still is after that time. */
enum attempt_result attempt_runtime(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

    attempt_tell("%d", (int)getpid());
    if (seconds == 0) {
        attempt_wait();
        return attempt_say(ATTEMPT_THROUGH, "a session: there until told to end");
    }
    for (unsigned left = seconds; left > 0;)
        left = sleep(left);
    return attempt_say(ATTEMPT_THROUGH, "a session of %u s: still there", seconds);
}

/* files COUNT [within]: gets through when it has that many descriptors open at once. With "within"
 * it does not go past the hard limit, which the host may have set lower than the configuration. */
enum attempt_result attempt_files(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    struct rlimit limit;

    if (count == 0 || count > INT_MAX || getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "no number of files");
    if (argc > 2 && limit.rlim_max < count)
        count = limit.rlim_max;
    if (limit.rlim_cur < count) {
        /* First what the soft limit allows, then what nobody should. */
        limit.rlim_cur = limit.rlim_max;
        (void)!setrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = count;
        if (limit.rlim_max < count)
            limit.rlim_max = count;
        (void)!setrlimit(RLIMIT_NOFILE, &limit);
    }

    /* Descriptors are given out from the lowest. */
    for (;;) {
        int fd = dup(STDIN_FILENO);

        if (fd < 0 && errno == EMFILE)
            break;
        if (fd < 0)
            return attempt_say(ATTEMPT_UNTRIED, "%lu open files: %m", count);
        if ((unsigned long)fd + 1 >= count)
            return attempt_say(ATTEMPT_THROUGH, "%lu open files: opened", count);
    }
    return attempt_say(ATTEMPT_REFUSED, "%lu open files: %m", count);
}

/* A number of the slice's cgroup; CONFIG_UNLIMITED for "max". */
static int read_slice(const struct config_sandbox *sandbox, const char *name, uint64_t *ret)
{
    _cleanup_fclose_ FILE *file = NULL;
    char path[128], word[32];

    snprintf(path, sizeof path, SLICE_FORMAT, (unsigned)sandbox->uid, name);
    file = fopen(path, "re");
    if (!file)
        return -errno;
    if (fscanf(file, "%31s", word) != 1)
        return -EIO;
    *ret = strcmp(word, "max") == 0 ? CONFIG_UNLIMITED : strtoull(word, NULL, 10);
    return 0;
}

/* A number of /proc/meminfo, in bytes. */
static uint64_t memory_info(const char *name)
{
    _cleanup_fclose_ FILE *file = fopen("/proc/meminfo", "re");
    size_t length = strlen(name);
    uint64_t kilobytes = 0;
    char line[128];

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            kilobytes = strtoull(line + length + 1, NULL, 10);
    return kilobytes * 1024;
}

static uint64_t read_number(const char *path)
{
    _cleanup_fclose_ FILE *file = fopen(path, "re");
    uint64_t number = 0;

    return file && fscanf(file, "%" SCNu64, &number) == 1 ? number : 0;
}

/* Whether the slice has the limit that the configuration says, in the cgroup file; otherwise it
 * has been said what is the case. */
static bool slice_holds(struct probe_run *run, const char *what, const char *file, uint64_t limit)
{
    uint64_t value;
    int r;

    if (limit == CONFIG_UNLIMITED) {
        probe_skip(run, "no limit is configured: %s are bounded by the host alone", what);
        return false;
    }
    r = read_slice(run->sandbox, file, &value);
    if (r == -ENOENT) {
        probe_skip(run,
                   "no %s in the cgroup of the sandbox: this kernel has no controller for it, "
                   "and %s are not limited",
                   file, what);
        return false;
    }
    if (r < 0 || value != limit) {
        if (r < 0)
            probe_found(run, VERDICT_FAIL, "could not be tried: %s: %s", file, strerror(-r));
        else if (value == CONFIG_UNLIMITED)
            probe_found(run, VERDICT_FAIL, "%s of the sandbox's slice is max, not %" PRIu64, file,
                        limit);
        else
            probe_found(run, VERDICT_FAIL, "%s of the sandbox's slice is %" PRIu64 ", not %" PRIu64,
                        file, value, limit);
        probe_found_control(run, VERDICT_FAIL, "the limit is not there to be approached");
        return false;
    }
    return true;
}

/* The limit is in the kernel, but going there would harm somebody. */
static void not_pushed(struct probe_run *run, const char *file, uint64_t limit, const char *why)
{
    probe_found(run, VERDICT_OK, "%s of the sandbox's slice is %" PRIu64 "; not tried: %s", file,
                limit, why);
    probe_found_control(run, VERDICT_OK, "sessions work below it; not tried: %s", why);
}

/* More than the limit, and less than what is left. */
static void push(struct probe_run *run, const char *attempt, uint64_t above, uint64_t below)
{
    const struct place place = PLACE_SANDBOX(run);
    char past[24], within[24];

    snprintf(past, sizeof past, "%" PRIu64, above);
    snprintf(within, sizeof within, "%" PRIu64, below);

    struct call calls[] = { CALL(attempt, past), CALL(attempt, within, "within") };
    place_run(run, &place, calls, 2);
    place_judge(run, &calls[0]);
    place_judge_control(run, &calls[1]);
}

void probe_limits_tasks(struct probe_run *run)
{
    uint64_t limit = run->sandbox->limits.tasks, current;
    uint64_t threads = read_number("/proc/sys/kernel/threads-max");
    uint64_t pids = read_number("/proc/sys/kernel/pid_max");

    if (!slice_holds(run, "tasks", "pids.max", limit))
        return;
    if (run->in_use)
        not_pushed(run, "pids.max", limit, "other sessions of the sandbox share it");
    else if (limit > MAX_TASKS || limit > threads / 2 || limit > pids / 2)
        not_pushed(run, "pids.max", limit, "so many tasks could leave the host without");
    else if (limit > memory_info("MemAvailable") / 4 / TASK_COST)
        not_pushed(run, "pids.max", limit, "so many tasks would use up the host's memory");
    else if (read_slice(run->sandbox, "pids.current", &current) < 0 || current + 32 >= limit)
        not_pushed(run, "pids.max", limit, "the sandbox is close to it already");
    else
        push(run, "tasks", limit, limit - current - 16);
}

void probe_limits_memory(struct probe_run *run)
{
    uint64_t limit = run->sandbox->limits.memory, current, swap = 0;

    /* The kernel counts in pages. */
    if (limit != CONFIG_UNLIMITED)
        limit -= limit % (uint64_t)sysconf(_SC_PAGESIZE);
    if (!slice_holds(run, "bytes of memory", "memory.max", limit))
        return;
    (void)!read_slice(run->sandbox, "memory.swap.max", &swap);
    if (run->in_use)
        not_pushed(run, "memory.max", limit, "other sessions of the sandbox share it");
    else if (limit > MAX_MEMORY || limit > memory_info("MemAvailable") / 2)
        not_pushed(run, "memory.max", limit, "so much could leave the host without");
    else if (memory_info("SwapFree") > 0 && swap > 0)
        not_pushed(run, "memory.max", limit, "the host would swap");
    else if (read_slice(run->sandbox, "memory.current", &current) < 0 || current >= limit)
        not_pushed(run, "memory.max", limit, "the sandbox is close to it already");
    else
        push(run, "memory", limit, (limit - current) / 2);
}

/* RuntimeMaxUSec of the scope that the process is in. Returns 0 or a negative errno. */
static int scope_runtime(pid_t pid, uint64_t *ret)
{
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
    _cleanup_free_ char *unit = NULL;
    const char *path;
    int r;

    r = sd_pid_get_unit(pid, &unit);
    if (r < 0)
        return r;
    r = sd_bus_open_system(&bus);
    if (r < 0)
        return r;
    r = sd_bus_call_method(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                           "org.freedesktop.systemd1.Manager", "GetUnit", NULL, &reply, "s", unit);
    if (r < 0)
        return r;
    r = sd_bus_message_read(reply, "o", &path);
    if (r < 0)
        return r;
    return sd_bus_get_property_trivial(bus, "org.freedesktop.systemd1", path,
                                       "org.freedesktop.systemd1.Scope", "RuntimeMaxUSec", NULL,
                                       't', ret);
}

void probe_limits_runtime(struct probe_run *run)
{
    const struct place place = PLACE_SESSION(run);
    uint64_t limit = run->sandbox->limits.runtime_usec, value = 0;
    unsigned seconds = 0;
    char argument[16], line[64] = "";
    struct visit visit;
    int r = -ESRCH;

    if (limit == CONFIG_UNLIMITED) {
        probe_skip(run, "no limit is configured: a session lasts as long as it likes");
        return;
    }
    if (limit <= MAX_RUNTIME_SECONDS * UINT64_C(1000000))
        seconds = (unsigned)(limit / 1000000) + MAX_RUNTIME_SECONDS;
    snprintf(argument, sizeof argument, "%u", seconds);

    struct call calls[] = { CALL("runtime", argument) };
    visit_begin(run, &place, calls, 1, &visit);
    if (visit_line(&visit, line, sizeof line))
        r = scope_runtime((pid_t)strtol(line, NULL, 10), &value);
    if (seconds > 0)
        visit_wait(&visit);
    else
        visit_end(&visit);

    if (!*line) {
        place_judge(run, calls);
        place_judge_control(run, calls);
        return;
    }
    if (r < 0)
        probe_found(run, VERDICT_FAIL, "could not be tried: the session's scope: %s", strerror(-r));
    else if (value != limit)
        probe_found(run, VERDICT_FAIL,
                    "RuntimeMaxUSec of the session's scope is %" PRIu64 ", not %" PRIu64, value,
                    limit);
    else if (seconds > 0 && calls->result == ATTEMPT_THROUGH)
        probe_found(run, VERDICT_FAIL, "%s", calls->text);
    else if (seconds > 0)
        probe_found(run, VERDICT_OK, "a session longer than %" PRIu64 " µs: ended", limit);
    else
        probe_found(run, VERDICT_OK,
                    "RuntimeMaxUSec of the session's scope is %" PRIu64 "; not waited for", limit);
    probe_found_control(run, VERDICT_OK, "a session within it: there");
}

void probe_limits_files(struct probe_run *run)
{
    uint64_t limit = run->sandbox->limits.open_files;

    if (limit == CONFIG_UNLIMITED)
        probe_skip(run, "no limit is configured: open files are bounded by the host alone");
    else
        push(run, "files", limit + 1, limit);
}
