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

/* What libcrypto needs to sign, and to talk on the one socket. A number of another architecture's
 * would mean another call; x32 is refused by its high bit, as no number here has that. All else
 * fails: no file, no descriptor, no process can be made. */
static int confine(void)
{
    static const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(recvfrom),
        ALLOW(sendto),
        ALLOW(write),
        ALLOW(futex),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(getrandom),
        ALLOW(getpid),
        ALLOW(clock_gettime),
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
                    "starting pam-sandbox-egress-ca@ makes new ones",
                    -EKEYREJECTED);
    close(SIGNER_KEY_FD);
    close(SIGNER_CERTIFICATE_FD);
    r = confine();
    if (r < 0)
        return fail("cannot confine itself", r);
    r = signer_serve(SIGNER_SOCKET_FD, key, certificate);
    return r < 0 ? fail("stops", r) : 0;
}
