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

#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "proxy/ca-publish.h"
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
    assert_int_equal(X509_get_pathlen(ca), -1);
    assert_int_equal(X509_get_key_usage(ca), KU_KEY_CERT_SIGN | KU_CRL_SIGN);
    assert_non_null(X509_get0_subject_key_id(ca));
    assert_int_equal(X509_check_issued(ca, ca), X509_V_OK);
    EVP_PKEY_free(other);
}

/* What OpenSSL says of a chain, as strictly as it can (Python 3.13 does so by default). */
static int verify_under(X509 *trusted, STACK_OF(X509) * between, X509 *leaf, const char *host,
                        bool literal)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();

    assert_int_equal(X509_STORE_add_cert(store, trusted), 1);
    assert_int_equal(X509_STORE_CTX_init(context, store, leaf, between), 1);
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

static int verify(X509 *leaf, const char *host, bool literal)
{
    return verify_under(ca, NULL, leaf, host, literal);
}

static X509 *issue_under(EVP_PKEY *issuer_key, X509 *issuer, const char *host)
{
    struct identity identity;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *leaf = NULL;

    assert_int_equal(host_normalise(host, strlen(host), &identity), 0);
    assert_int_equal(issue_leaf(issuer_key, issuer, key, &identity, &leaf), 0);
    EVP_PKEY_free(key);
    return leaf;
}

static X509 *issue(const char *host)
{
    return issue_under(ca_key, ca, host);
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

/* Without the bridge. */
static bool ensure(int dir)
{
    struct ca_change change;

    assert_int_equal(ca_ensure(dir, "agent", false, &change), 0);
    X509_free(change.bridge);
    return change.made;
}

static void files(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX";
    _cleanup_close_ int dir = open_dir(path);
    struct stat st;

    (void)state;
    assert_true(ensure(dir));
    assert_int_equal(fstatat(dir, CA_KEY_FILE, &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(ensure(dir));

    spoil(dir, CA_KEY_FILE, "nothing");
    assert_true(ensure(dir));
    assert_int_equal(fstatat(dir, CA_KEY_FILE ".old", &st, 0), 0);

    assert_int_equal(unlinkat(dir, CA_CERTIFICATE_FILE, 0), 0);
    assert_true(ensure(dir));

    /* Somebody else's link is replaced and not followed. */
    assert_int_equal(unlinkat(dir, CA_KEY_FILE, 0), 0);
    assert_int_equal(symlinkat("/nonexistent/target", dir, CA_KEY_FILE), 0);
    assert_true(ensure(dir));
    assert_int_equal(fstatat(dir, CA_KEY_FILE, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(st.st_mode));
}

static void read_pair(int dir, EVP_PKEY **key, X509 **certificate)
{
    _cleanup_close_ int key_fd = openat(dir, CA_KEY_FILE, O_RDONLY);
    _cleanup_close_ int certificate_fd = openat(dir, CA_CERTIFICATE_FILE, O_RDONLY);

    assert_int_equal(ca_read_key(key_fd, key), 0);
    assert_int_equal(ca_read_certificate(certificate_fd, certificate), 0);
}

/* Twice, as somebody may still trust the first. */
static void replaced(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX";
    _cleanup_close_ int dir = open_dir(path);
    EVP_PKEY *keys[3];
    X509 *certificates[3];
    struct ca_change change;
    struct stat st;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ca_ensure(dir, "agent", true, &change), 0);
        assert_true(change.made);
        assert_int_equal(!!change.bridge, i > 0);
        if (change.bridge)
            assert_int_equal(ca_publish_bridge(dir, change.bridge), 0);
        X509_free(change.bridge);
        read_pair(dir, &keys[i], &certificates[i]);
    }
    /* A key that was good is not kept. */
    assert_int_equal(fstatat(dir, CA_KEY_FILE ".old", &st, 0), -1);

    X509 *leaf = issue_under(keys[2], certificates[2], "a.example");
    STACK_OF(X509) *bridges = ca_read_bridges(dir);
    assert_int_equal(sk_X509_num(bridges), 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(verify_under(certificates[i], bridges, leaf, "a.example", false),
                         X509_V_OK);
    assert_int_not_equal(verify_under(certificates[1], NULL, leaf, "a.example", false), X509_V_OK);
    assert_int_not_equal(verify_under(ca, bridges, leaf, "a.example", false), X509_V_OK);
    sk_X509_pop_free(bridges, X509_free);
    X509_free(leaf);

    for (int i = 0; i < CA_BRIDGES_MAX; i++)
        assert_int_equal(ca_publish_bridge(dir, certificates[0]), 0);
    bridges = ca_read_bridges(dir);
    assert_int_equal(sk_X509_num(bridges), CA_BRIDGES_MAX);
    sk_X509_pop_free(bridges, X509_free);
    for (int i = 0; i < 3; i++) {
        EVP_PKEY_free(keys[i]);
        X509_free(certificates[i]);
    }
}

static size_t read_file(int dir, const char *name, char *text, size_t size)
{
    _cleanup_close_ int fd = openat(dir, name, O_RDONLY);
    ssize_t n = read(fd, text, size - 1);

    assert_true(n > 0);
    text[n] = '\0';
    return (size_t)n;
}

/* What the system has is one certificate, something that is none, and another. */
static void write_system(const char *path, X509 *one, X509 *other)
{
    FILE *f = fopen(path, "we");

    fputs("the system's\n", f);
    PEM_write_X509(f, one);
    fputs("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", f);
    PEM_write_X509(f, other);
    fclose(f);
}

static void bundle(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX", system[64], seen[8192], expected[8192];
    _cleanup_close_ int dir = open_dir(path);
    EVP_PKEY *key;
    X509 *other;

    (void)state;
    assert_int_equal(ca_make("other", &key, &other), 0);
    snprintf(system, sizeof(system), "%s/system.crt", path);
    write_system(system, other, other);
    assert_int_equal(ca_publish(dir, ca, system, false), 0);
    size_t before = read_file(dir, "system.crt", expected, sizeof(expected));
    size_t own =
        read_file(dir, EGRESS_CERTIFICATE_NAME, expected + before, sizeof(expected) - before);
    assert_int_equal(read_file(dir, EGRESS_BUNDLE_NAME, seen, sizeof(seen)), before + own);
    assert_string_equal(seen, expected);
    assert_int_equal(faccessat(dir, EGRESS_JAVA_NAME, F_OK, 0), -1);
    assert_int_equal(ca_publish(dir, ca, "/nonexistent", false), -ENOENT);
    X509_free(other);
    EVP_PKEY_free(key);
}

/* As the JVM looks for it: in a bag that is not encrypted, marked as trusted. */
static void java(void **state)
{
    char path[] = "/tmp/test-ca-XXXXXX", system[64];
    _cleanup_close_ int dir = open_dir(path);
    EVP_PKEY *key;
    X509 *one, *other;

    (void)state;
    assert_int_equal(ca_make("one", &key, &one), 0);
    EVP_PKEY_free(key);
    assert_int_equal(ca_make("other", &key, &other), 0);
    snprintf(system, sizeof(system), "%s/system.crt", path);
    write_system(system, one, other);
    assert_int_equal(ca_publish(dir, ca, system, true), 0);

    FILE *f = fdopen(openat(dir, EGRESS_JAVA_NAME, O_RDONLY), "r");
    PKCS12 *store = d2i_PKCS12_fp(f, NULL);
    assert_non_null(store);
    assert_false(PKCS12_mac_present(store));
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(store);
    assert_int_equal(sk_PKCS7_num(safes), 1);
    assert_true(PKCS7_type_is_data(sk_PKCS7_value(safes, 0)));
    STACK_OF(PKCS12_SAFEBAG) *bags = PKCS12_unpack_p7data(sk_PKCS7_value(safes, 0));
    assert_int_equal(sk_PKCS12_SAFEBAG_num(bags), 3);
    X509 *const expected[] = { one, other, ca };
    for (int i = 0; i < 3; i++) {
        PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, i);
        const ASN1_TYPE *mark = PKCS12_SAFEBAG_get0_attr(bag, NID_oracle_jdk_trustedkeyusage);
        X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);

        assert_non_null(mark);
        assert_int_equal(OBJ_obj2nid(mark->value.object), NID_anyExtendedKeyUsage);
        assert_int_equal(X509_cmp(certificate, expected[i]), 0);
        X509_free(certificate);
    }
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    PKCS12_free(store);
    fclose(f);

    /* The JVM is gone. */
    assert_int_equal(ca_publish(dir, ca, system, false), 0);
    assert_int_equal(faccessat(dir, EGRESS_JAVA_NAME, F_OK, 0), -1);
    X509_free(one);
    X509_free(other);
    EVP_PKEY_free(key);
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
        cmocka_unit_test(authority), cmocka_unit_test(leaves),   cmocka_unit_test(files),
        cmocka_unit_test(replaced),  cmocka_unit_test(bundle),   cmocka_unit_test(java),
        cmocka_unit_test(signer),    cmocka_unit_test(nonsense),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
