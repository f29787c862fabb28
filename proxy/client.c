/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

#include "proxy/client-state.h"
#include "proxy/listen.h"
#include "proxy/record.h"

#define CLIENT_OF(pointer, member)                                                                 \
    ((struct client *)((char *)(pointer) - offsetof(struct client, member)))

static void bury(struct later *later)
{
    struct client *client = CLIENT_OF(later, burial);

    /* Queued before, and called after this otherwise. */
    if (client->again.queued)
        later_queue(&client->proxy->later, &client->burial);
    else
        free(client);
}

void client_close(struct client *client)
{
    struct proxy *proxy = client->proxy;

    if (client->phase == CLIENT_CLOSED)
        return;
    client->phase = CLIENT_CLOSED;
    exchange_client_gone(&client->exchange);
    timer_disarm(&client->timer);
    leaf_waiter_cancel(&client->leaf);
    stream_close(&client->stream);
    h1_done(&client->decoder);
    buffer_free(&client->rest);
    later_queue(&proxy->later, &client->burial);
    proxy->n_clients--;
    listeners_resume(proxy->listeners);
}

void client_pump_later(struct client *client)
{
    later_queue(&client->proxy->later, &client->again);
}

/* Closing with unread data in the socket would send RST, and the peer's kernel may then throw away
 * our last answer (RFC 9112, 9.6). */
static void linger(struct client *client)
{
    for (unsigned n = 0; stream_may_read(&client->stream); n++) {
        if (n == READS_MAX) {
            client_pump_later(client);
            return;
        }
        ssize_t size = stream_read(&client->stream, client->proxy->client_scratch, SCRATCH_SIZE);
        if (size == -EAGAIN)
            return;
        if (size <= 0) {
            client_close(client);
            return;
        }
    }
}

static void pump(struct client *client)
{
    switch (client->phase) {
    case CLIENT_HTTP:
        client_http_work(client);
        break;
    case CLIENT_SNIFF:
        client_tunnel_sniff(client);
        break;
    case CLIENT_HANDSHAKE:
        client_tunnel_shake(client);
        break;
    case CLIENT_LINGER:
        linger(client);
        break;
    case CLIENT_CLOSED:
        break;
    }
}

static void on_ready(struct stream *stream)
{
    pump(CLIENT_OF(stream, stream));
}

static void on_again(struct later *later)
{
    pump(CLIENT_OF(later, again));
}

static void on_leaf(struct leaf_waiter *waiter)
{
    client_pump_later(CLIENT_OF(waiter, leaf));
}

static void on_timer(struct timer *timer)
{
    struct client *client = CLIENT_OF(timer, timer);

    switch (client->phase) {
    case CLIENT_HTTP:
        client_http_timed_out(client);
        return;
    case CLIENT_SNIFF:
        record_tunnel(client->proxy, &client->tunnel, REFUSAL_SILENT,
                      "nothing came through the tunnel in time");
        break;
    case CLIENT_HANDSHAKE:
        record_tunnel(client->proxy, &client->tunnel, REFUSAL_HANDSHAKE,
                      "the client did not finish TLS in time");
        break;
    case CLIENT_LINGER:
    case CLIENT_CLOSED:
        break;
    }
    client_close(client);
}

int client_new(struct proxy *proxy, int fd)
{
    const int on = 1;

    struct client *client = calloc(1, sizeof(*client));
    if (!client) {
        close(fd);
        return -ENOMEM;
    }
    client->proxy = proxy;
    client->timer.expired = on_timer;
    client->again.call = on_again;
    client->burial.call = bury;
    client->leaf.ready = on_leaf;
    /* Answers are written whole: nothing is gained by waiting for more. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    int r = stream_open(&client->stream, proxy->event, fd, on_ready);
    if (r < 0) {
        free(client);
        return r;
    }
    client_http_init(client);
    timer_arm(&proxy->timers, &client->timer, TIMER_FIRST_BYTE);
    proxy->n_clients++;
    return 0;
}
