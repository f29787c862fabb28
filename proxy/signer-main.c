/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "proxy/ca.h"
#include "proxy/signer.h"

#define ALLOW(name)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1),                                        \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* A processor that runs the code of another, too, has other calls behind the same numbers: 11 is
 * munmap here and execve there. */
#if defined(__x86_64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_ARM
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AUDIT_ARCH_HERE AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define AUDIT_ARCH_HERE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_S390X
#else
#error "which AUDIT_ARCH_ is this?"
#endif

/* What libcrypto needs to sign, and to talk on the one socket. x32 is refused by its high bit,
 * which no number here has. All else fails: no file, no descriptor, no process can be made. */
static int confine(void)
{
    static const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_HERE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(recvfrom),
        ALLOW(sendto),
        ALLOW(write),
        ALLOW(futex),
        ALLOW(brk),
#ifdef __NR_mmap
        ALLOW(mmap),
#endif
#ifdef __NR_mmap2
        ALLOW(mmap2),
#endif
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(getrandom),
        ALLOW(getpid),
        ALLOW(clock_gettime),
#ifdef __NR_clock_gettime64
        ALLOW(clock_gettime64),
#endif
        ALLOW(restart_syscall),
        ALLOW(rt_sigreturn),
        ALLOW(close),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]),
                                        (struct sock_filter *)filter };

    /* Not traced, not dumped, and /proc/PID/mem is root's: the proxy has the same uid. */
    if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

static int fail(const char *what, int r)
{
    fprintf(stderr, SD_ERR "egress-signer: %s: %s\n", what, strerror(-r));
    return 1;
}

int main(void)
{
    EVP_PKEY *key;
    X509 *certificate;

    int r = ca_read_key(SIGNER_KEY_FD, &key);
    if (r < 0)
        return fail("cannot read the key of the certificate authority (ca.key)", r);
    r = ca_read_certificate(SIGNER_CERTIFICATE_FD, &certificate);
    if (r < 0)
        return fail("cannot read the certificate of the authority (ca.pem)", r);
    if (!ca_is_usable(key, certificate))
        return fail("ca.key and ca.pem do not belong together, or are past their date; "
                    "starting the unit anew makes new ones",
                    -EKEYREJECTED);
    close(SIGNER_KEY_FD);
    close(SIGNER_CERTIFICATE_FD);
    r = confine();
    if (r < 0)
        return fail("cannot confine itself", r);
    r = signer_serve(SIGNER_SOCKET_FD, key, certificate);
    return r < 0 ? fail("stops", r) : 0;
}
