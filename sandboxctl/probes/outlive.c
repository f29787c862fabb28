/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaving something that outlives the session. What an attempt could leave, it takes away itself;
 * what root sees left nevertheless, the probe takes away. */
#include "sandboxctl/probes/hide.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "lock/account.h"

#include <fcntl.h>
#include <poll.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>

#define LINGER_DIR "/var/lib/systemd/linger"
#define SPOOL_DIR "/var/spool/cron"

/* The promise is a second; on a machine that is slow or busy the process may be gone later, but a
 * process that is still there after this time is not being reaped. */
#define REAP_SECONDS 20

/* linger UID yes|no: gets through when logind does it. */
enum attempt_result attempt_linger(int argc, char **argv)
{
    _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
    _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
    const char *what;
    int r;

    if (argc != 3)
        return attempt_say(ATTEMPT_UNTRIED, "no user to linger");
    what = strcmp(argv[2], "yes") == 0 ? "asking logind to linger" : "asking logind not to linger";

    r = sd_bus_open_system(&bus);
    if (r == -EACCES || r == -EPERM)
        return attempt_say(ATTEMPT_REFUSED, "%s: %s", what, strerror(-r));
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "the system bus: %s", strerror(-r));
    /* logind asks polkit, which may have to be started for it. */
    sd_bus_set_method_call_timeout(bus, (ATTEMPT_SECONDS / 2) * UINT64_C(1000000));
    r = sd_bus_call_method(bus, "org.freedesktop.login1", "/org/freedesktop/login1",
                           "org.freedesktop.login1.Manager", "SetUserLinger", &error, NULL, "ubb",
                           (uint32_t)strtoul(argv[1], NULL, 10), strcmp(argv[2], "yes") == 0, 0);
    if (r >= 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: done", what);
    if (sd_bus_error_has_name(&error, SD_BUS_ERROR_ACCESS_DENIED) ||
        sd_bus_error_has_name(&error, SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED))
        return attempt_say(ATTEMPT_REFUSED, "%s: %s", what, error.message);
    return attempt_say(ATTEMPT_UNTRIED, "%s: %s", what,
                       error.message ? error.message : strerror(-r));
}

/* cron: gets through when a crontab, of a comment alone, is taken. One that is there is let be. */
enum attempt_result attempt_cron(int argc, char **argv)
{
    char output[1024];
    int r;

    (void)argc;
    (void)argv;
    if (attempt_capture((const char *const[]){ "crontab", "-l", NULL }, "", output,
                        sizeof output) == 0)
        return attempt_say(ATTEMPT_THROUGH, "crontab -: not needed, there is a crontab");
    r = attempt_capture((const char *const[]){ "crontab", "-", NULL },
                        "# by sandboxctl check, which takes it away again\n", output,
                        sizeof output);
    if (r == -EPERM || r == -EACCES)
        return attempt_say(ATTEMPT_REFUSED, "crontab -: exec: %s", strerror(-r));
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "crontab: %s", strerror(-r));
    if (r != 0)
        return attempt_say(ATTEMPT_REFUSED, "crontab -: %s", attempt_last_line(output));
    attempt_capture((const char *const[]){ "crontab", "-r", NULL }, "", output, sizeof output);
    return attempt_say(ATTEMPT_THROUGH, "crontab -: taken");
}

/* at: gets through when a job, years ahead, is taken. */
enum attempt_result attempt_at(int argc, char **argv)
{
    char output[1024], number[16] = "", *job;
    int r;

    (void)argc;
    (void)argv;
    r = attempt_capture((const char *const[]){ "at", "now", "+", "1000", "days", NULL }, "true\n",
                        output, sizeof output);
    if (r == -EPERM || r == -EACCES)
        return attempt_say(ATTEMPT_REFUSED, "at now + 1000 days: exec: %s", strerror(-r));
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "at: %s", strerror(-r));
    if (r != 0)
        return attempt_say(ATTEMPT_REFUSED, "at now + 1000 days: %s", attempt_last_line(output));
    job = strstr(output, "job ");
    if (job && sscanf(job, "job %15[0-9]", number) == 1)
        attempt_capture((const char *const[]){ "atrm", number, NULL }, "", output, sizeof output);
    return attempt_say(ATTEMPT_THROUGH, "at now + 1000 days: taken");
}

/* outlive: leaves a process that has left its session, its parent and its terminal, and ignores
 * what asks it to end; tells its id, and ends when the caller closes standard input. */
enum attempt_result attempt_outlive(int argc, char **argv)
{
    int channel[2];
    pid_t pid;

    (void)argc;
    (void)argv;
    if (pipe(channel) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "pipe: %m");
    pid = fork();
    if (pid < 0)
        return attempt_say(ATTEMPT_UNTRIED, "fork: %m");
    if (pid == 0) {
        setsid();
        pid = fork();
        if (pid != 0)
            _exit(pid < 0);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        pid = getpid();
        (void)!write(channel[1], &pid, sizeof pid);
        for (int fd = 0; fd < 64; fd++)
            close(fd);
        /* Should nobody end it, it ends itself. */
        alarm(ATTEMPT_SECONDS);
        for (;;)
            pause();
    }
    waitpid(pid, NULL, 0);
    if (read(channel[0], &pid, sizeof pid) != sizeof pid)
        return attempt_say(ATTEMPT_UNTRIED, "a process that leaves its session: not made");
    attempt_tell("%d", (int)pid);
    attempt_wait();
    return attempt_say(ATTEMPT_THROUGH, "left process %d", (int)pid);
}

void probe_linger(struct probe_run *run)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY, root = PLACE_ROOT;
    char uid[16], nobody_uid[16], path[300];
    struct call tried[] = { CALL("linger", uid, "yes") }, undo[] = { CALL("linger", uid, "no") };
    /* Nothing is changed by it, and so nothing is left: nobody does not linger. */
    struct call control[] = { CALL("linger", nobody_uid, "no") };

    snprintf(uid, sizeof uid, "%u", (unsigned)run->sandbox->uid);
    snprintf(nobody_uid, sizeof nobody_uid, "%u", NOBODY_ID);
    snprintf(path, sizeof path, "%s/%s", LINGER_DIR, run->sandbox->name);
    if (access(path, F_OK) == 0) {
        probe_found(run, VERDICT_FAIL, "it lingers already: %s is there", path);
    } else {
        place_run(run, &sandbox, tried, 1);
        if (access(path, F_OK) == 0)
            place_run(run, &root, undo, 1);
        place_judge(run, tried);
    }

    if (access(LINGER_DIR "/nobody", F_OK) == 0) {
        probe_found_control(run, VERDICT_FAIL, "could not be tried: nobody lingers");
        return;
    }
    place_run(run, &nobody, control, 1);
    place_judge_control(run, control);
}

/* Covers the spool with empty directories of the same mode and owner, in a namespace of its own:
 * what is left there is gone with the process. */
static int cover_spool(void *userdata)
{
    static const char *const directories[] = {
        SPOOL_DIR "/crontabs",
        SPOOL_DIR "/atjobs",
        SPOOL_DIR "/atspool",
    };
    int r = hide_enter();

    (void)userdata;
    if (r < 0)
        return r;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        char options[64];
        struct stat st;

        if (stat(directories[i], &st) < 0) {
            if (errno == ENOENT)
                continue;
            return -errno;
        }
        snprintf(options, sizeof options, "mode=%o,uid=%u,gid=%u", st.st_mode & 07777,
                 (unsigned)st.st_uid, (unsigned)st.st_gid);
        if (mount("tmpfs", directories[i], "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
            return -errno;
        /* at(1) counts its jobs in a file that the package made. */
        if (i == 1) {
            int fd = open(SPOOL_DIR "/atjobs/.SEQ", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (fd < 0)
                return -errno;
            r = fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
            close(fd);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

/* Two things stand between a sandbox and a job that runs later: the spool, and the account phase of
 * the service that would run it. Only what passes both outlives the session. */
static void probe_spool(struct probe_run *run, const char *program, const char *attempt,
                        const char *service)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    /* Debian's at.deny names nobody. */
    const bool as_root = strcmp(attempt, "at") == 0;
    const struct place other = { .uid = as_root ? 0 : NOBODY_ID,
                                 .gid = as_root ? 0 : NOBODY_ID,
                                 .prepare = cover_spool };
    struct call tried[] = { CALL(attempt) }, control[] = { CALL(attempt) };

    if (access(program, X_OK) < 0) {
        probe_skip(run, "this host has no %s", program);
        return;
    }
    place_run(run, &sandbox, tried, 1);
    place_run(run, &other, control, 1);
    if (tried->result == ATTEMPT_THROUGH &&
        account_ask(service, run->sandbox->name, NULL) == PAM_PERM_DENIED)
        probe_found(run, VERDICT_OK, "%s, but PAM service %s runs nothing of it", tried->text,
                    service);
    else
        place_judge(run, tried);
    place_judge_control(run, control);
}

void probe_cron(struct probe_run *run)
{
    probe_spool(run, "/usr/bin/crontab", "cron", "cron");
}

void probe_at(struct probe_run *run)
{
    probe_spool(run, "/usr/bin/at", "at", "atd");
}

/* The uid that a process runs as, (uid_t)-1 when it is gone. */
static uid_t owner_of(pid_t pid)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return stat(path, &st) < 0 ? (uid_t)-1 : st.st_uid;
}

void probe_reap(struct probe_run *run)
{
    const struct place place = PLACE_SESSION(run);
    _cleanup_close_ int fd = -EBADF;
    struct call calls[] = { CALL("outlive") };
    struct visit visit;
    struct pollfd gone;
    char line[64] = "";
    bool there = false;
    pid_t pid = 0;
    int r;

    if (run->in_use) {
        probe_skip(run, "other sessions of %s are open: reaping begins when the last one ends",
                   run->sandbox->name);
        return;
    }

    visit_begin(run, &place, calls, 1, &visit);
    if (visit_line(&visit, line, sizeof line)) {
        pid = (pid_t)strtol(line, NULL, 10);
        fd = pid > 1 ? pidfd_open(pid, 0) : -1;
        there = fd >= 0 && owner_of(pid) == run->sandbox->uid;
    }
    visit_end(&visit);

    if (!there) {
        place_judge(run,
                    &(struct call){ .result = ATTEMPT_UNTRIED, .text = "no process was left" });
        probe_found_control(run, VERDICT_FAIL, "no process that left the session is there: %s",
                            calls->text);
        return;
    }

    gone = (struct pollfd){ .fd = fd, .events = POLLIN };
    r = poll(&gone, 1, REAP_SECONDS * 1000);
    if (r > 0)
        probe_found(run, VERDICT_OK, "a double-forked process that left its session: gone");
    else {
        probe_found(run, VERDICT_FAIL, "a double-forked process is there %d s after its session",
                    REAP_SECONDS);
        pidfd_send_signal(fd, SIGKILL, NULL, 0);
    }
    probe_found_control(run, VERDICT_OK, "a double-forked process: there during the session");
}
