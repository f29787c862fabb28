/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS in a tunnel, with what the environment says is to be trusted, as every client has it. */
#include "sandboxctl/probes/ask.h"
#include "sandboxctl/probes/outside.h"

#include "conf/cleanup.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>

static inline void contextp(SSL_CTX **context)
{
    SSL_CTX_free(*context);
}

static inline void sslp(SSL **ssl)
{
    SSL_free(*ssl);
}

static const char *tls_problem(SSL *ssl)
{
    const long verify = SSL_get_verify_result(ssl);
    const char *reason;

    if (verify != X509_V_OK)
        return X509_verify_cert_error_string(verify);
    reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason ? reason : "the connection ended";
}

/* A handshake for name; one that is not the tunnel's is none that a client would believe. */
static SSL *prepare(SSL_CTX *context, int fd, const char *name, bool believes)
{
    _cleanup_(sslp) SSL *ssl = SSL_new(context);

    if (!ssl || SSL_set_tlsext_host_name(ssl, name) != 1 || SSL_set1_host(ssl, name) != 1 ||
        SSL_set_fd(ssl, fd) != 1)
        return NULL;
    SSL_set_verify(ssl, believes ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    return steal_ptr(ssl);
}

static bool exchange(SSL *ssl, const char *host, struct answer *answer)
{
    char text[4096];
    size_t used = 0;
    int n;

    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host);
    if (SSL_write(ssl, text, (int)strlen(text)) <= 0)
        return false;
    while (used + 1 < sizeof text &&
           (n = SSL_read(ssl, text + used, (int)(sizeof text - 1 - used))) > 0)
        used += (size_t)n;
    text[used] = '\0';
    return answer_parse(text, answer);
}

/* Returns NULL, or what went wrong. */
static const char *ask_by_tls(const char *port, const char *host, const char *name,
                              struct answer *answer)
{
    _cleanup_(contextp) SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    _cleanup_(sslp) SSL *ssl = NULL;
    _cleanup_close_ int fd = ask_connect(port);
    char authority[300];

    snprintf(authority, sizeof authority, "%s:443", host);
    if (!context || SSL_CTX_set_default_verify_paths(context) != 1)
        return "no TLS";
    int r = fd < 0 ? fd : ask_tunnel(fd, authority);
    if (r < 0)
        return strerror(-r);
    ssl = prepare(context, fd, name, strcmp(host, name) == 0);
    if (!ssl)
        return "no TLS";
    if (SSL_connect(ssl) != 1)
        return tls_problem(ssl);
    return exchange(ssl, host, answer) ? NULL : tls_problem(ssl);
}

/* ask-tls PORT HOST NAME REASONS: a tunnel to the host with a handshake for the name. Gets through
 * like "ask". */
enum attempt_result attempt_ask_tls(int argc, char **argv)
{
    struct answer answer;
    const char *problem;
    char what[600];

    if (argc != 5)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to ask");
    snprintf(what, sizeof what, "TLS for %s in a tunnel to %s", argv[3], argv[2]);
    problem = ask_by_tls(argv[1], argv[2], argv[3], &answer);
    if (problem)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", what, problem);
    return ask_say(what, &answer, argv[4]);
}

/* The port in a variable that names a proxy, "http://127.0.0.1:PORT"; NULL: none. */
static const char *proxy_port(const char *variable)
{
    const char *proxy = getenv(variable), *colon = proxy ? strrchr(proxy, ':') : NULL;

    return colon && strncmp(proxy, "http://127.0.0.1:", 17) == 0 ? colon + 1 : NULL;
}

/* read ORIGIN HOST: gets through when, by its environment alone, the origin is read, and an answer
 * of the proxy's for the host by TLS is believed. */
enum attempt_result attempt_read(int argc, char **argv)
{
    const char *plain = proxy_port("http_proxy"), *tls = proxy_port("https_proxy"), *problem;
    struct answer answer;

    if (argc != 3)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to read");
    if (!plain || !tls)
        return attempt_say(ATTEMPT_REFUSED, "http_proxy and https_proxy do not say where it is");
    problem = ask_by_tls(tls, argv[2], argv[2], &answer);
    if (problem)
        return attempt_say(ATTEMPT_REFUSED, "TLS with the proxy for %s: %s", argv[2], problem);

    char *fetch[] = { (char *)"fetch", (char *)plain, (char *)"read", argv[1], NULL };
    return attempt_fetch(4, fetch);
}
