/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/proof-step.h"
#include "conf/cleanup.h"

int proof_write_file(const struct proof_stage *stage, const char *path)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

    (void)stage;
    return fd < 0 ? -errno : 0;
}

int proof_read_file(const struct proof_stage *stage, const char *path)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

    (void)stage;
    return fd < 0 ? -errno : 0;
}

static int make_file(const char *directory, char path[static 64])
{
    _cleanup_close_ int fd = -EBADF;

    snprintf(path, 64, "%s/%d", directory, getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd < 0 ? -errno : 0;
}

int proof_write_directory(const struct proof_stage *stage, const char *path)
{
    char file[64];
    int r = make_file(path, file);

    (void)stage;
    if (r < 0)
        return r;
    return unlink(file) < 0 ? -errno : 0;
}

int proof_write_own(const struct proof_stage *stage, const char *path)
{
    char file[64];
    int r = make_file(path, file);

    return r < 0 ? r : proof_write_file(stage, file);
}

static socklen_t set_address(struct sockaddr_un *address, const char *name)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(address->sun_path, sizeof address->sun_path, "%s", name);
    if (name[0] == '@') {
        address->sun_path[0] = '\0';
        return offsetof(struct sockaddr_un, sun_path) + strlen(name);
    }

    return sizeof *address;
}

int proof_bind(int type, const char *name)
{
    _cleanup_close_ int fd = -EBADF;
    struct sockaddr_un address;
    socklen_t length = set_address(&address, name);

    fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) < 0)
        return -errno;
    if (type == SOCK_STREAM && listen(fd, SOMAXCONN) < 0)
        return -errno;

    return steal_fd(&fd);
}

int proof_connect(const struct proof_stage *stage, const char *name)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address;
    socklen_t length = set_address(&address, name);

    (void)stage;
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) < 0)
        return -errno;
    return 0;
}

int proof_send(const struct proof_stage *stage, const char *name)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address;
    socklen_t length = set_address(&address, name);

    (void)stage;
    if (fd < 0 || sendto(fd, "", 1, 0, (struct sockaddr *)&address, length) < 0)
        return -errno;
    return 0;
}

int proof_connect_own(const struct proof_stage *stage, const char *name)
{
    _cleanup_close_ int fd = proof_bind(SOCK_STREAM, name);

    return fd < 0 ? fd : proof_connect(stage, name);
}

int proof_send_own(const struct proof_stage *stage, const char *name)
{
    _cleanup_close_ int fd = proof_bind(SOCK_DGRAM, name);

    return fd < 0 ? fd : proof_send(stage, name);
}

static int read_environment(pid_t pid)
{
    _cleanup_close_ int fd = -EBADF;
    char path[64];

    snprintf(path, sizeof path, PROOF_PROC "/%d/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : 0;
}

int proof_read_target(const struct proof_stage *stage, const char *object)
{
    (void)object;
    return read_environment(stage->target);
}

static int read_child(int namespaces)
{
    int channel[2], r;
    char byte;

    if (pipe2(channel, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0) {
        (void)unshare(namespaces);
        (void)close(channel[1]);
        pause();
        _exit(0);
    }
    r = -errno;
    (void)close(channel[1]);
    if (child > 0)
        (void)!read(channel[0], &byte, 1);
    (void)close(channel[0]);
    if (child < 0)
        return r;

    r = read_environment(child);
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return r;
}

int proof_read_child(const struct proof_stage *stage, const char *object)
{
    (void)stage;
    (void)object;
    return read_child(0);
}

int proof_read_contained(const struct proof_stage *stage, const char *object)
{
    (void)stage;
    (void)object;
    return read_child(CLONE_NEWUSER);
}

int proof_make_socket(const struct proof_stage *stage, const char *object)
{
    _cleanup_close_ int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)stage;
    (void)object;
    return fd >= 0 || errno == EAFNOSUPPORT ? 0 : -errno;
}

static int bpf_descriptor(int command, union bpf_attr *attributes)
{
    _cleanup_close_ int fd = (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);

    return fd < 0 ? -errno : 0;
}

int proof_make_map(const struct proof_stage *stage, const char *object)
{
    union bpf_attr attributes;

    (void)stage;
    (void)object;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = sizeof(uint32_t);
    attributes.max_entries = 1;
    return bpf_descriptor(BPF_MAP_CREATE, &attributes);
}

int proof_open_map(uint32_t id)
{
    union bpf_attr attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.map_id = id;
    return bpf_descriptor(BPF_MAP_GET_FD_BY_ID, &attributes);
}

int proof_write_map(const struct proof_stage *stage, const char *object)
{
    (void)object;
    return proof_open_map(stage->map);
}
