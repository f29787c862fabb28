/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* kernel UID ROUNDS: what system calls cost a process with that uid. kernel programs: what the
 * kernel counted of its BPF programs, by name (kernel.bpf_stats_enabled in sysctl's words).
 *
 * A line for each kind: its name and the nanoseconds of one, the least of all rounds: what else the
 * machine does can only add to it. */

#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int listener;
static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };

static void open_close(void)
{
    int fd = open("file", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        err(1, "open");
    close(fd);
}

static void stat_file(void)
{
    struct stat st;

    if (stat("file", &st) < 0)
        err(1, "stat");
}

static void create_unlink(void)
{
    int fd = open("new", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

    if (fd < 0 || unlink("new") < 0)
        err(1, "create");
    close(fd);
}

/* A file that everybody may write, in a directory of one's own: as far as world-write looks. */
static void open_world(void)
{
    int fd = open("world", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        err(1, "open world");
    close(fd);
}

static void exec_true(void)
{
    char *const argv[] = { (char *)"true", NULL };
    pid_t pid;
    int status;

    if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL) != 0 ||
        waitpid(pid, &status, 0) < 0 || status != 0)
        errx(1, "/bin/true");
}

static void unix_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        err(1, "connect");
    close(accept(listener, NULL, NULL));
    close(fd);
}

static const struct {
    const char *name;
    void (*run)(void);
    unsigned repeats;
} kinds[] = {
    { "open and close", open_close, 4000 },
    { "stat", stat_file, 8000 },
    { "create and unlink", create_unlink, 1000 },
    { "open, world-writable", open_world, 4000 },
    { "exec", exec_true, 60 },
    { "connect, Unix", unix_connect, 2000 },
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

static uint64_t now_nsec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void prepare(uid_t uid)
{
    char directory[] = "/var/tmp/bench-XXXXXX";

    if (!mkdtemp(directory) || chown(directory, uid, uid) < 0 || chdir(directory) < 0)
        err(1, "%s", directory);
    if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
        err(1, "cannot become %u", (unsigned)uid);
    umask(0);
    close(open("file", O_CREAT | O_WRONLY, 0600));
    close(open("world", O_CREAT | O_WRONLY, 0666));
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0 ||
        listen(listener, 16) < 0)
        err(1, "bind");
}

static void measure(uid_t uid, unsigned rounds)
{
    uint64_t least[N_KINDS];

    prepare(uid);
    memset(least, 0xff, sizeof least);
    for (unsigned round = 0; round < rounds; round++)
        for (size_t k = 0; k < N_KINDS; k++) {
            uint64_t begin = now_nsec();

            for (unsigned i = 0; i < kinds[k].repeats; i++)
                kinds[k].run();
            uint64_t each = (now_nsec() - begin) / kinds[k].repeats;
            if (each < least[k])
                least[k] = each;
        }
    for (size_t k = 0; k < N_KINDS; k++)
        printf("%s\t%llu\n", kinds[k].name, (unsigned long long)least[k]);
}

static int sys_bpf(int command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/* A line for each program that ran: its name, how often, nanoseconds of one. */
static void programs(void)
{
    uint32_t id = 0;

    for (;;) {
        union bpf_attr next = { .start_id = id };

        if (sys_bpf(BPF_PROG_GET_NEXT_ID, &next) < 0)
            return;
        id = next.next_id;
        union bpf_attr get = { .prog_id = id };
        int fd = sys_bpf(BPF_PROG_GET_FD_BY_ID, &get);
        if (fd < 0)
            err(1, "program %u", id);
        struct bpf_prog_info info = { 0 };
        union bpf_attr ask = {
            .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof info, .info = (uintptr_t)&info },
        };
        if (sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &ask) < 0)
            err(1, "program %u", id);
        close(fd);
        if (info.run_cnt > 0)
            printf("%s\t%llu\t%llu\n", info.name, (unsigned long long)info.run_cnt,
                   (unsigned long long)(info.run_time_ns / info.run_cnt));
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "programs") == 0)
        programs();
    else if (argc == 3)
        measure((uid_t)strtoul(argv[1], NULL, 10), (unsigned)strtoul(argv[2], NULL, 10));
    else
        errx(2, "usage: kernel UID ROUNDS | kernel programs");
    return 0;
}
