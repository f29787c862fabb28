/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <openssl/x509v3.h>

#include "conf/cleanup.h"
#include "proxy/ca.h"
#include "proxy/issue.h"
#include "proxy/signer.h"

static EVP_PKEY *ca_key;
static X509 *ca;

static int setup(void **state)
{
    (void)state;
    return ca_make("agent", &ca_key, &ca);
}

static int teardown(void **state)
{
    (void)state;
    EVP_PKEY_free(ca_key);
    X509_free(ca);
    return 0;
}

static void authority(void **state)
{
    EVP_PKEY *other = EVP_EC_gen("P-256");

    (void)state;
    assert_true(ca_is_usable(ca_key, ca));
    assert_false(ca_is_usable(other, ca));
    assert_int_equal(X509_get_pathlen(ca), 0);
    assert_int_equal(X509_get_key_usage(ca), KU_KEY_CERT_SIGN | KU_CRL_SIGN);
    assert_non_null(X509_get0_subject_key_id(ca));
    assert_int_equal(X509_check_issued(ca, ca), X509_V_OK);
    EVP_PKEY_free(other);
}

/* What OpenSSL says of a chain, as strictly as it can (Python 3.13 does so by default). */
static int verify(X509 *leaf, const char *host, bool literal)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();

    assert_int_equal(X509_STORE_add_cert(store, ca), 1);
    assert_int_equal(X509_STORE_CTX_init(context, store, leaf, NULL), 1);
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
    if (literal)
        X509_VERIFY_PARAM_set1_ip_asc(param, host);
    else
        X509_VERIFY_PARAM_set1_host(param, host, 0);
    X509_verify_cert(context);
    int result = X509_STORE_CTX_get_error(context);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return result;
}

static X509 *issue(const char *host)
{
    struct identity identity;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *leaf = NULL;

    assert_int_equal(host_normalise(host, strlen(host), &identity), 0);
    assert_int_equal(issue_leaf(ca_key, ca, key, &identity, &leaf), 0);
    EVP_PKEY_free(key);
    return leaf;
}

static void leaves(void **state)
{
    char long_host[HOST_SIZE];

    (void)state;
    X509 *leaf = issue("a.example");
    assert_int_equal(verify(leaf, "a.example", false), X509_V_OK);
    assert_int_equal(verify(leaf, "b.example", false), X509_V_ERR_HOSTNAME_MISMATCH);
    assert_int_equal(X509_check_ca(leaf), 0);
    assert_int_equal(X509_get_key_usage(leaf), KU_DIGITAL_SIGNATURE);
    assert_int_equal(X509_get_extended_key_usage(leaf), XKU_SSL_SERVER);
    assert_non_null(X509_get0_authority_key_id(leaf));
    X509_free(leaf);

    leaf = issue("192.52.193.1");
    assert_int_equal(verify(leaf, "192.52.193.1", true), X509_V_OK);
    assert_int_equal(verify(leaf, "192.52.193.2", true), X509_V_ERR_IP_ADDRESS_MISMATCH);
    assert_int_equal(verify(leaf, "192.52.193.1", false), X509_V_ERR_HOSTNAME_MISMATCH);
    X509_free(leaf);

    leaf = issue("2001:DB8::1");
    assert_int_equal(verify(leaf, "2001:db8::1", true), X509_V_OK);
    X509_free(leaf);

    /* Longer than a common name may be. */
    memset(long_host, 'a', sizeof(long_host) - 1);
    long_host[sizeof(long_host) - 1] = '\0';
    long_host[63] = long_host[127] = long_host[191] = '.';
    leaf = issue(long_host);
    assert_int_equal(verify(leaf, long_host, false), X509_V_OK);
    X509_free(leaf);
}

static int open_dir(char *path)
{
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(dir >= 0);
    return dir;
}

static void spoil(int dir, const char *name, const char *text)
{
    int fd = openat(dir, name, O_WRONLY | O_TRUNC);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void files(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX";
    _cleanup_close_ int dir = open_dir(path);
    struct stat st;
    bool made;

    (void)state;
    assert_int_equal(ca_ensure(dir, "agent", &made), 0);
    assert_true(made);
    assert_int_equal(fstatat(dir, CA_KEY_FILE, &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(ca_ensure(dir, "agent", &made), 0);
    assert_false(made);

    spoil(dir, CA_KEY_FILE, "nothing");
    assert_int_equal(ca_ensure(dir, "agent", &made), 0);
    assert_true(made);
    assert_int_equal(fstatat(dir, CA_KEY_FILE ".old", &st, 0), 0);

    assert_int_equal(unlinkat(dir, CA_CERTIFICATE_FILE, 0), 0);
    assert_int_equal(ca_ensure(dir, "agent", &made), 0);
    assert_true(made);

    /* Somebody else's link is replaced and not followed. */
    assert_int_equal(unlinkat(dir, CA_KEY_FILE, 0), 0);
    assert_int_equal(symlinkat("/nonexistent/target", dir, CA_KEY_FILE), 0);
    assert_int_equal(ca_ensure(dir, "agent", &made), 0);
    assert_true(made);
    assert_int_equal(fstatat(dir, CA_KEY_FILE, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(st.st_mode));
}

static void bundle(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX", system[64], seen[8192];
    _cleanup_close_ int dir = open_dir(path);

    (void)state;
    snprintf(system, sizeof(system), "%s/system.crt", path);
    _cleanup_fclose_ FILE *f = fopen(system, "we");
    fputs("the system's\n", f);
    fflush(f);
    assert_int_equal(ca_publish(dir, ca, system), 0);
    _cleanup_close_ int fd = openat(dir, CA_BUNDLE_FILE, O_RDONLY);
    ssize_t n = read(fd, seen, sizeof(seen) - 1);
    assert_true(n > 0);
    seen[n] = '\0';
    assert_int_equal(strncmp(seen, "the system's\n-----BEGIN CERTIFICATE-----\n", 41), 0);
    assert_int_equal(ca_publish(dir, ca, "/nonexistent"), -ENOENT);
}

/* A signer in a process of its own; returns our end. */
static int start(pid_t *pid)
{
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    *pid = fork();
    if (*pid == 0) {
        close(pair[0]);
        _exit(-signer_serve(pair[1], ca_key, ca));
    }
    close(pair[1]);
    return pair[0];
}

static int end(pid_t pid, int socket)
{
    int status;

    close(socket);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void ask(int socket, uint32_t kind, const void *data, size_t size,
                struct signer_answer *answer)
{
    struct signer_request request = { .kind = kind, .id = 7, .size = (uint32_t)size };

    memcpy(request.data, data, size);
    size += offsetof(struct signer_request, data);
    assert_int_equal(send(socket, &request, size, MSG_NOSIGNAL), size);
    if (answer)
        assert_true(recv(socket, answer, sizeof(*answer), 0) > 0);
}

static void set_key(int socket)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    unsigned char *der = NULL;
    int size = i2d_PUBKEY(key, &der);

    ask(socket, SIGNER_SET_KEY, der, (size_t)size, NULL);
    OPENSSL_free(der);
    EVP_PKEY_free(key);
}

static void signer(void **state)
{
    struct signer_answer answer;
    const unsigned char *at = answer.leaf;
    pid_t pid;
    int socket = start(&pid);

    (void)state;
    ask(socket, SIGNER_LEAF, "a.example", 9, &answer);
    assert_int_equal(answer.error, -ENOKEY);
    set_key(socket);
    ask(socket, SIGNER_LEAF, "A.Example", 9, &answer);
    assert_int_equal(answer.error, 0);
    assert_int_equal(answer.id, 7);
    X509 *leaf = d2i_X509(NULL, &at, answer.size);
    assert_int_equal(verify(leaf, "a.example", false), X509_V_OK);
    X509_free(leaf);

    static const char *const refused[] = { "",     "*",          "*.example", "a,DNS:b",
                                           "a\nb", "2130706433", "email:a@b" };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ask(socket, SIGNER_LEAF, refused[i], strlen(refused[i]), &answer);
        assert_int_equal(answer.error, -EINVAL);
        assert_int_equal(answer.size, 0);
    }
    assert_int_equal(end(pid, socket), 0);
}

/* What no proxy sends ends it: nothing is left to be tried. */
static void nonsense(void **state)
{
    struct signer_request request = { .kind = SIGNER_LEAF, .size = 100 };
    pid_t pid;

    (void)state;
    int socket = start(&pid);
    assert_int_equal(send(socket, &request, offsetof(struct signer_request, data), 0),
                     offsetof(struct signer_request, data));
    assert_int_equal(end(pid, socket), EBADMSG);

    socket = start(&pid);
    assert_int_equal(send(socket, "x", 1, 0), 1);
    assert_int_equal(end(pid, socket), EBADMSG);

    socket = start(&pid);
    ask(socket, 99, "", 0, NULL);
    assert_int_equal(end(pid, socket), EBADMSG);

    socket = start(&pid);
    ask(socket, SIGNER_SET_KEY, "no key", 6, NULL);
    assert_int_equal(end(pid, socket), EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(authority), cmocka_unit_test(leaves), cmocka_unit_test(files),
        cmocka_unit_test(bundle),    cmocka_unit_test(signer), cmocka_unit_test(nonsense),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
