/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "proxy/client-state.h"
#include "proxy/client.h"
#include "proxy/record.h"

/* The first byte of a TLS handshake record (RFC 8446, 5.1). */
#define TLS_HANDSHAKE 0x16

/* Always granted: clients hide the body of a CONNECT that was refused, so that the answer has to
 * come from inside. Nobody is connected to yet. */
void client_tunnel_begin(struct client *client)
{
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";

    if (stream_write(&client->stream, established, sizeof(established) - 1) < 0) {
        client_close(client);
        return;
    }
    h1_next(&client->decoder);
    client->in_tunnel = true;
    client->close = false;
    client->phase = CLIENT_SNIFF;
    /* While the client thinks about its hello. */
    if (client->tunnel.port != scheme_port(SCHEME_HTTP))
        leaves_prepare(client->proxy->leaves, &client->tunnel);
    timer_arm(&client->proxy->timers, &client->timer, TIMER_FIRST_BYTE);
}

/* Resumption belongs to a target: a session of one host is unknown at another. */
static int set_session_context(SSL *ssl, const struct identity *target)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char authority[AUTHORITY_SIZE];
    size_t size = host_format_authority(target, 0, authority), digest_size;

    if (EVP_Q_digest(NULL, "SHA256", NULL, authority, size, digest, &digest_size) != 1 ||
        SSL_set_session_id_context(ssl, digest, (unsigned)digest_size) != 1)
        return -EIO;
    return 0;
}

static int start_tls(struct client *client)
{
    SSL *ssl = SSL_new(client->proxy->client_tls);

    if (!ssl)
        return -ENOMEM;
    SSL_set_accept_state(ssl);
    SSL_set_app_data(ssl, client);
    int r = set_session_context(ssl, &client->tunnel);
    if (r < 0) {
        SSL_free(ssl);
        return r;
    }
    return stream_start_tls(&client->stream, ssl);
}

static void give_up(struct client *client, enum refusal refusal, const char *detail)
{
    record_tunnel(client->proxy, &client->tunnel, refusal, detail);
    client_close(client);
}

void client_tunnel_sniff(struct client *client)
{
    int r = stream_flush(&client->stream);
    if (r < 0 && r != -EAGAIN) {
        client_close(client);
        return;
    }
    int first = stream_peek(&client->stream);
    if (first == -EAGAIN)
        return;
    if (first < 0) {
        /* A tunnel that was not used; some clients keep one in reserve. */
        client_close(client);
        return;
    }
    if (first == TLS_HANDSHAKE) {
        r = start_tls(client);
        if (r < 0) {
            give_up(client, REFUSAL_INTERNAL, strerror(-r));
            return;
        }
        client->phase = CLIENT_HANDSHAKE;
        timer_arm(&client->proxy->timers, &client->timer, TIMER_HANDSHAKE);
        client_tunnel_shake(client);
        return;
    }
    /* A method begins with a letter, and all that are known with a capital one. */
    if (first < 'A' || first > 'Z') {
        give_up(client, REFUSAL_RAW, "neither TLS nor HTTP in the tunnel");
        return;
    }
    client->rest = client->stream.in;
    client->stream.in = (struct buffer){ 0 };
    client->phase = CLIENT_HTTP;
    client_pump_later(client);
}

static int take_server_name(struct client *client, SSL *ssl)
{
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    client->server_name = client->tunnel;
    if (name && host_normalise(name, strlen(name), &client->server_name) < 0)
        return -EINVAL;
    client->misnamed = !host_equal(&client->server_name, &client->tunnel);
    return 0;
}

/* The certificate is for the name that the client asks for, so that it listens to what is wrong
 * with it. */
int client_certificate(SSL *ssl, void *userdata)
{
    struct client *client = SSL_get_app_data(ssl);

    (void)userdata;
    if (take_server_name(client, ssl) < 0)
        return 0;
    int r = leaves_use(client->proxy->leaves, &client->server_name, ssl, &client->leaf);
    return r == -EAGAIN ? -1 : r == 0;
}

void client_tunnel_shake(struct client *client)
{
    char detail[160];

    int r = stream_flush(&client->stream);
    if (r == 0)
        r = stream_handshake(&client->stream);
    if (r == -EAGAIN)
        return;
    if (r < 0) {
        snprintf(detail, sizeof(detail), "TLS with the client failed: %s",
                 r == -EPROTO ? stream_tls_problem() : strerror(-r));
        /* An alert may be on its way to it. */
        give_up(client, REFUSAL_HANDSHAKE, detail);
        return;
    }
    /* Again, as a resumed session asks for no certificate. */
    if (take_server_name(client, client->stream.ssl) < 0) {
        give_up(client, REFUSAL_IDENTITY, "the server name of the handshake is not a host name");
        return;
    }
    client->phase = CLIENT_HTTP;
    timer_arm(&client->proxy->timers, &client->timer, TIMER_FIRST_BYTE);
    client_http_work(client);
}
