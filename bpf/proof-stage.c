/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where attempts are made: a tmpfs that nobody else sees, in the working directory, without nosuid;
 * a network namespace, so that nobody else can take or fill an abstract socket; a /proc without
 * hidepid. Sockets are bound to relative names, which no list of allowed sockets has. */

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bpf/proof-step.h"
#include "conf/cleanup.h"
#include "conf/paths.h"

static int make_place(struct proof_stage *stage)
{
    (void)stage;
    if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("pam-sandbox-proof", RUN_DIR, "tmpfs", MS_NODEV, "mode=0755") < 0 ||
        chdir(RUN_DIR) < 0 || mkdir(PROOF_PROC, 0555) < 0 ||
        mount("proc", PROOF_PROC, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return -errno;

    return 0;
}

static int make_files(struct proof_stage *stage)
{
    _cleanup_close_ int file = open(PROOF_ROOT_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (file < 0 || mkdir(PROOF_ROOT_DIRECTORY, 0777) < 0 || mkdir(PROOF_OWN_DIRECTORY, 0777) < 0 ||
        chown(PROOF_OWN_DIRECTORY, stage->subject->uid, stage->subject->gid) < 0)
        return -errno;
    cleanup_closep(&file);
    file = open(PROOF_GROUP_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0040);
    return file < 0 ? -errno : 0;
}

static int copy_program(const char *name, mode_t mode)
{
    _cleanup_close_ int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    _cleanup_close_ int to = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    ssize_t n;

    if (from < 0 || to < 0)
        return -errno;
    while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
        ;
    /* Writing takes a set-uid bit away, so that comes last. */
    return n < 0 || fchmod(to, mode) < 0 ? -errno : 0;
}

/* Permitted and not effective, as getcap(8)'s "=p". */
static int give_capability(const char *name)
{
    struct vfs_cap_data data = { .magic_etc = htole32(VFS_CAP_REVISION_2) };

    data.data[CAP_TO_INDEX(PROOF_FILE_CAPABILITY)].permitted =
        htole32(CAP_TO_MASK(PROOF_FILE_CAPABILITY));
    return setxattr(name, "security.capability", &data, XATTR_CAPS_SZ_2, 0) < 0 ? -errno : 0;
}

static int make_programs(struct proof_stage *stage)
{
    int r = copy_program(PROOF_PLAIN_PROGRAM, 0755);

    (void)stage;
    if (r == 0)
        r = copy_program(PROOF_SET_ID_PROGRAM, 04755);
    if (r == 0)
        r = copy_program(PROOF_CAPABLE_PROGRAM, 0755);
    return r < 0 ? r : give_capability(PROOF_CAPABLE_PROGRAM);
}

/* They stay open as long as this process lives. */
static int make_sockets(struct proof_stage *stage)
{
    static const struct {
        int type;
        const char *name;
    } sockets[] = {
        { SOCK_STREAM, PROOF_STREAM },      { SOCK_STREAM, "@" PROOF_STREAM },
        { SOCK_DGRAM, PROOF_DATAGRAM },     { SOCK_DGRAM, "@" PROOF_DATAGRAM },
        { SOCK_STREAM, PROOF_LOCK_SOCKET },
    };

    (void)stage;
    for (size_t i = 0; i < sizeof sockets / sizeof sockets[0]; i++) {
        int r = proof_bind(sockets[i].type, sockets[i].name);

        if (r < 0)
            return r;
    }

    return 0;
}

static int find_map(struct proof_stage *stage)
{
    struct bpf_map_info info = { 0 };
    union bpf_attr attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.info.bpf_fd = (uint32_t)stage->subject->map;
    attributes.info.info_len = sizeof info;
    attributes.info.info = (uintptr_t)&info;
    if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attributes, sizeof attributes) < 0)
        return -errno;

    stage->map = info.id;
    return 0;
}

static int start_target(struct proof_stage *stage)
{
    stage->target = fork();
    if (stage->target < 0)
        return -errno;
    if (stage->target == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }

    return 0;
}

int proof_stage_enter(struct proof_stage *stage, const struct proof_subject *subject,
                      const char **what)
{
    static const struct {
        const char *what;
        int (*make)(struct proof_stage *stage);
    } parts[] = {
        { "make namespaces with a tmpfs on " RUN_DIR, make_place },
        { "make files on a tmpfs", make_files },
        { "make programs with a set-uid bit and a capability on a tmpfs", make_programs },
        { "make sockets", make_sockets },
        { "ask for the id of the policy's map", find_map },
        { "start a process", start_target },
    };

    stage->subject = subject;
    umask(0);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int r = parts[i].make(stage);

        if (r < 0) {
            *what = parts[i].what;
            return r;
        }
    }

    return 0;
}
