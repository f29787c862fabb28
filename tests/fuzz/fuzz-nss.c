/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The flat files of libnss_sandbox with any content, and any size of buffer. The first byte is the
 * buffer's size; the rest is the file, whichever is opened. */

#include "nss/nss-file.h"
#include "nss/nss-sandbox.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *content;
static size_t content_size;

FILE *nss_file_open(const char *path)
{
    (void)path;
    return fmemopen((void *)content, content_size, "r");
}

/* The string is inside the buffer, with its end. */
static void check_string(const char *s, const char *buffer, size_t size)
{
    assert(s >= buffer && s < buffer + size && memchr(s, '\0', (size_t)(buffer + size - s)));
}

static void check_status(enum nss_status status, int error)
{
    assert(errno == EXDEV);
    if (status == NSS_STATUS_TRYAGAIN)
        assert(error == ERANGE);
    else
        assert(status == NSS_STATUS_SUCCESS || status == NSS_STATUS_NOTFOUND);
}

static void check_passwd(char *buffer, size_t size)
{
    struct passwd p, again;
    int error = 0;
    enum nss_status status;
    _nss_sandbox_setpwent(0);
    while ((status = _nss_sandbox_getpwent_r(&p, buffer, size, &error)) == NSS_STATUS_SUCCESS) {
        check_string(p.pw_name, buffer, size);
        check_string(p.pw_passwd, buffer, size);
        check_string(p.pw_gecos, buffer, size);
        check_string(p.pw_dir, buffer, size);
        check_string(p.pw_shell, buffer, size);
        assert(p.pw_uid >= 1000 && p.pw_gid == p.pw_uid && strcmp(p.pw_passwd, "x") == 0);

        char other[512];
        status = _nss_sandbox_getpwnam_r(p.pw_name, &again, other, sizeof other, &error);
        check_status(status, error);
        assert(status != NSS_STATUS_NOTFOUND);
        status = _nss_sandbox_getpwuid_r(p.pw_uid, &again, other, sizeof other, &error);
        check_status(status, error);
        assert(status != NSS_STATUS_NOTFOUND);
    }
    check_status(status, error);
    _nss_sandbox_endpwent();
    assert(_nss_sandbox_getpwuid_r(0, &p, buffer, size, &error) == NSS_STATUS_NOTFOUND);
}

static void check_group(char *buffer, size_t size)
{
    struct group g, again;
    int error = 0;
    enum nss_status status;
    _nss_sandbox_setgrent(0);
    while ((status = _nss_sandbox_getgrent_r(&g, buffer, size, &error)) == NSS_STATUS_SUCCESS) {
        check_string(g.gr_name, buffer, size);
        assert(g.gr_gid >= 1000 && !g.gr_mem[0]);
        assert((char *)g.gr_mem >= buffer && (char *)(g.gr_mem + 1) <= buffer + size);

        char other[512];
        status = _nss_sandbox_getgrnam_r(g.gr_name, &again, other, sizeof other, &error);
        check_status(status, error);
        assert(status != NSS_STATUS_NOTFOUND);
        status = _nss_sandbox_getgrgid_r(g.gr_gid, &again, other, sizeof other, &error);
        check_status(status, error);
        assert(status != NSS_STATUS_NOTFOUND);
    }
    check_status(status, error);
    _nss_sandbox_endgrent();
    assert(_nss_sandbox_getgrgid_r(0, &g, buffer, size, &error) == NSS_STATUS_NOTFOUND);
}

static void check_initgroups(long limit)
{
    long n = 0, size = 1;
    int error = 0;
    gid_t *gids = malloc(sizeof *gids);
    assert(gids);
    check_status(_nss_sandbox_initgroups_dyn("one", 59000, &n, &size, &gids, limit, &error), error);
    assert(n <= size && (limit <= 0 || n <= limit));
    for (long i = 0; i < n; i++) {
        assert(gids[i] != 0 && gids[i] != 59000);
        for (long j = 0; j < i; j++)
            assert(gids[j] != gids[i]);
    }
    free(gids);
}

static void check_shadow(char *buffer, size_t size)
{
    struct spwd s;
    int error = 0;
    enum nss_status status;
    _nss_sandbox_setspent(0);
    while ((status = _nss_sandbox_getspent_r(&s, buffer, size, &error)) == NSS_STATUS_SUCCESS) {
        check_string(s.sp_namp, buffer, size);
        check_string(s.sp_pwdp, buffer, size);
        assert(s.sp_pwdp[0] == '!');
    }
    check_status(status, error);
    _nss_sandbox_endspent();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t buffer_size = 2u * data[0];
    /* Of exactly that size: AddressSanitizer sees the byte behind it. */
    char *buffer = malloc(buffer_size ? buffer_size : 1);
    assert(buffer);
    content = data + 1;
    content_size = size - 1;

    errno = EXDEV;
    check_passwd(buffer, buffer_size);
    check_group(buffer, buffer_size);
    check_shadow(buffer, buffer_size);
    check_initgroups(data[0] % 4);
    free(buffer);
    return 0;
}
