/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cache of leaves, with the test as the signer. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <openssl/x509v3.h>

#include "proxy/ca.h"
#include "proxy/issue.h"
#include "proxy/leaf.h"
#include "proxy/signer.h"

static sd_event *event;
static struct leaves *leaves;
static int signer;
static EVP_PKEY *ca_key, *leaf_key;
static X509 *ca;
static SSL_CTX *context;
static unsigned woken;

static void on_ready(struct leaf_waiter *waiter)
{
    (void)waiter;
    woken++;
}

static int setup(void **state)
{
    struct signer_request request;
    const unsigned char *data = request.data;
    int pair[2];

    (void)state;
    woken = 0;
    assert_int_equal(sd_event_new(&event), 0);
    assert_int_equal(ca_make("agent", &ca_key, &ca), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
                     0);
    signer = pair[1];
    assert_int_equal(leaves_new(event, pair[0], NULL, &leaves), 0);
    assert_true(recv(signer, &request, sizeof(request), 0) > 0);
    assert_int_equal(request.kind, SIGNER_SET_KEY);
    leaf_key = d2i_PUBKEY(NULL, &data, request.size);
    assert_non_null(leaf_key);
    context = SSL_CTX_new(TLS_server_method());
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    leaves_free(leaves);
    sd_event_unref(event);
    SSL_CTX_free(context);
    EVP_PKEY_free(ca_key);
    EVP_PKEY_free(leaf_key);
    X509_free(ca);
    close(signer);
    return 0;
}

/* Takes one question; false: there is none. */
static bool asked(struct signer_request *request)
{
    ssize_t n = recv(signer, request, sizeof(*request), 0);

    if (n < 0)
        assert_int_equal(errno, EAGAIN);
    return n > 0;
}

static void answer(const struct signer_request *request, int error)
{
    struct signer_answer reply = { .id = request->id, .error = error };
    struct identity identity;
    X509 *leaf;

    if (error == 0) {
        assert_int_equal(host_normalise((const char *)request->data, request->size, &identity), 0);
        assert_int_equal(issue_leaf(ca_key, ca, leaf_key, &identity, &leaf), 0);
        unsigned char *at = reply.leaf;
        reply.size = (uint32_t)i2d_X509(leaf, &at);
        X509_free(leaf);
    }
    size_t size = offsetof(struct signer_answer, leaf) + reply.size;
    assert_int_equal(send(signer, &reply, size, 0), size);
    assert_true(sd_event_run(event, UINT64_MAX) > 0);
}

static struct identity host(const char *name)
{
    struct identity identity;

    assert_int_equal(host_normalise(name, strlen(name), &identity), 0);
    return identity;
}

static void once_however_many_wait(void **state)
{
    struct leaf_waiter waiters[3] = { { .ready = on_ready },
                                      { .ready = on_ready },
                                      { .ready = on_ready } };
    struct signer_request request;
    struct identity a = host("a.example");
    SSL *ssl = SSL_new(context);

    (void)state;
    leaves_prepare(leaves, &a);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(leaves_use(leaves, &a, ssl, &waiters[i]), -EAGAIN);
    leaf_waiter_cancel(&waiters[1]);
    assert_true(asked(&request));
    assert_int_equal(request.size, 9);
    assert_memory_equal(request.data, "a.example", 9);
    assert_false(asked(&request));
    answer(&request, 0);
    assert_int_equal(woken, 2);
    assert_int_equal(leaves_use(leaves, &a, ssl, &waiters[0]), 0);
    assert_non_null(SSL_get_certificate(ssl));
    assert_int_equal(X509_check_host(SSL_get_certificate(ssl), "a.example", 0, 0, NULL), 1);
    assert_false(asked(&request));
    SSL_free(ssl);
}

/* Not again and again by all who waited. */
static void a_failure_is_remembered(void **state)
{
    struct leaf_waiter waiter = { .ready = on_ready };
    struct signer_request request;
    struct identity a = host("a.example");
    SSL *ssl = SSL_new(context);

    (void)state;
    assert_int_equal(leaves_use(leaves, &a, ssl, &waiter), -EAGAIN);
    assert_true(asked(&request));
    answer(&request, -EIO);
    assert_int_equal(woken, 1);
    assert_int_equal(leaves_use(leaves, &a, ssl, &waiter), -EIO);
    assert_false(asked(&request));
    SSL_free(ssl);
}

static void bounded(void **state)
{
    struct leaf_waiter waiter = { .ready = on_ready };
    struct signer_request request;
    char name[32];
    SSL *ssl = SSL_new(context);

    (void)state;
    for (unsigned i = 0; i <= LEAVES_MAX; i++) {
        snprintf(name, sizeof(name), "n%u.example", i);
        struct identity identity = host(name);
        leaves_prepare(leaves, &identity);
        assert_true(asked(&request));
        answer(&request, -EIO);
    }
    /* The first has gone and is asked for again; the last is still there. */
    struct identity first = host("n0.example"), last = host(name);
    assert_int_equal(leaves_use(leaves, &last, ssl, &waiter), -EIO);
    assert_false(asked(&request));
    assert_int_equal(leaves_use(leaves, &first, ssl, &waiter), -EAGAIN);
    assert_true(asked(&request));
    leaf_waiter_cancel(&waiter);
    SSL_free(ssl);
}

/* More at once than the signer is asked at a time. */
static void a_backlog(void **state)
{
    struct signer_request request;
    unsigned n = 0;
    char name[32];

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "n%u.example", i);
        struct identity identity = host(name);
        leaves_prepare(leaves, &identity);
    }
    while (asked(&request)) {
        snprintf(name, sizeof(name), "n%u.example", n++);
        assert_int_equal(request.size, strlen(name));
        assert_memory_equal(request.data, name, strlen(name));
        answer(&request, -EIO);
    }
    assert_int_equal(n, 200);
}

static void without_a_signer(void **state)
{
    (void)state;
    shutdown(signer, SHUT_RDWR);
    assert_int_equal(sd_event_loop(event), -EPIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(once_however_many_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_is_remembered, setup, teardown),
        cmocka_unit_test_setup_teardown(bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_backlog, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_signer, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
