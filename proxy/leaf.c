/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/leaf.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "proxy/issue.h"
#include "proxy/signer.h"

#define N_BUCKETS 1024
#define HALF_LIFE_SECONDS (LEAF_DAYS * 24L * 60 * 60 / 2)
#define RETRY_SECONDS 5

/* The signer answers in order; this many questions are a backlog of a few milliseconds, and fit
 * into its socket. */
#define ASKED_MAX 64

struct leaf {
    struct leaf *next;          /* in its bucket */
    struct leaf *newer, *older; /* by use */
    struct leaf *next_to_ask;
    struct leaf_waiter *waiters;
    X509 *certificate;
    time_t made; /* or failed to be */
    uint32_t id;
    int error;
    bool waiting; /* for the signer, or to be asked for */
    char host[HOST_SIZE];
};

struct leaves {
    sd_event *event;
    sd_event_source *source;
    int signer;
    STACK_OF(X509) * chain;
    EVP_PKEY *key;
    struct leaf *buckets[N_BUCKETS];
    struct leaf *newest, *oldest;
    size_t n;
    struct leaf *to_ask, **last_to_ask; /* too many are asked for already */
    struct leaf *asked[ASKED_MAX];      /* a ring: first_asked, n_asked */
    size_t first_asked, n_asked;
    uint32_t last_id;
};

static unsigned bucket_of(const char *host)
{
    uint32_t hash = 2166136261u; /* FNV-1a; names are bounded in number, whoever chooses them */

    for (; *host; host++)
        hash = (hash ^ (unsigned char)*host) * 16777619u;
    return hash % N_BUCKETS;
}

static void unlink_use(struct leaves *leaves, struct leaf *leaf)
{
    *(leaf->newer ? &leaf->newer->older : &leaves->newest) = leaf->older;
    *(leaf->older ? &leaf->older->newer : &leaves->oldest) = leaf->newer;
}

static void link_newest(struct leaves *leaves, struct leaf *leaf)
{
    leaf->newer = NULL;
    leaf->older = leaves->newest;
    *(leaf->older ? &leaf->older->newer : &leaves->oldest) = leaf;
    leaves->newest = leaf;
}

static void drop(struct leaves *leaves, struct leaf *leaf)
{
    struct leaf **at = &leaves->buckets[bucket_of(leaf->host)];

    while (*at != leaf)
        at = &(*at)->next;
    *at = leaf->next;
    unlink_use(leaves, leaf);
    leaves->n--;
    X509_free(leaf->certificate);
    free(leaf);
}

/* One that is being waited for stays: so a flood of names is bounded by connections. */
static void make_room(struct leaves *leaves)
{
    struct leaf *leaf = leaves->oldest;

    while (leaf && leaves->n >= LEAVES_MAX) {
        struct leaf *newer = leaf->newer;

        if (!leaf->waiting)
            drop(leaves, leaf);
        leaf = newer;
    }
}

static int ask(struct leaves *leaves, struct leaf *leaf)
{
    struct signer_request request = { .kind = SIGNER_LEAF, .id = ++leaves->last_id };

    request.size = (uint32_t)strlen(leaf->host);
    memcpy(request.data, leaf->host, request.size);
    if (send(leaves->signer, &request, offsetof(struct signer_request, data) + request.size,
             MSG_NOSIGNAL) < 0)
        return -errno;
    leaf->id = request.id;
    leaves->asked[(leaves->first_asked + leaves->n_asked++) % ASKED_MAX] = leaf;
    return 0;
}

static void wake(struct leaf *leaf)
{
    leaf->waiting = false;
    while (leaf->waiters) {
        struct leaf_waiter *waiter = leaf->waiters;

        leaf_waiter_cancel(waiter);
        waiter->ready(waiter);
    }
}

static void ask_or_queue(struct leaves *leaves, struct leaf *leaf)
{
    leaf->waiting = true;
    leaf->error = 0;
    if (leaves->n_asked < ASKED_MAX) {
        int r = ask(leaves, leaf);
        if (r == -EAGAIN)
            r = 0;
        else {
            leaf->error = r;
            leaf->waiting = r == 0;
            return;
        }
    }
    leaf->next_to_ask = NULL;
    *leaves->last_to_ask = leaf;
    leaves->last_to_ask = &leaf->next_to_ask;
}

static void ask_more(struct leaves *leaves)
{
    while (leaves->to_ask && leaves->n_asked < ASKED_MAX) {
        struct leaf *leaf = leaves->to_ask;

        int r = ask(leaves, leaf);
        if (r == -EAGAIN)
            return;
        leaves->to_ask = leaf->next_to_ask;
        if (!leaves->to_ask)
            leaves->last_to_ask = &leaves->to_ask;
        if (r < 0) {
            leaf->error = r;
            wake(leaf);
        }
    }
}

static struct leaf *find(struct leaves *leaves, const char *host)
{
    struct leaf *leaf = leaves->buckets[bucket_of(host)];

    while (leaf && strcmp(leaf->host, host) != 0)
        leaf = leaf->next;
    return leaf;
}

/* Also when the clock was set back to before it was made: validity begins two days earlier, but
 * nobody says how far it went. A failure is not tried again by each handshake that waited for it.
 */
static bool is_stale(const struct leaf *leaf, time_t now)
{
    if (now < leaf->made)
        return true;
    return now - leaf->made > (leaf->error < 0 ? RETRY_SECONDS : HALF_LIFE_SECONDS);
}

/* NULL: out of memory. */
static struct leaf *find_or_ask(struct leaves *leaves, const char *host)
{
    struct leaf *leaf = find(leaves, host);
    time_t now = time(NULL);

    if (leaf) {
        unlink_use(leaves, leaf);
        link_newest(leaves, leaf);
    } else {
        make_room(leaves);
        leaf = calloc(1, sizeof(*leaf));
        if (!leaf)
            return NULL;
        strcpy(leaf->host, host);
        struct leaf **bucket = &leaves->buckets[bucket_of(host)];
        leaf->next = *bucket;
        *bucket = leaf;
        link_newest(leaves, leaf);
        leaves->n++;
    }

    if (!leaf->waiting && is_stale(leaf, now)) {
        X509_free(leaf->certificate);
        leaf->certificate = NULL;
        ask_or_queue(leaves, leaf);
    }
    return leaf;
}

void leaves_prepare(struct leaves *leaves, const struct identity *identity)
{
    find_or_ask(leaves, identity->host);
}

int leaves_use(struct leaves *leaves, const struct identity *identity, SSL *ssl,
               struct leaf_waiter *waiter)
{
    struct leaf *leaf = find_or_ask(leaves, identity->host);

    if (!leaf)
        return -ENOMEM;
    if (leaf->waiting) {
        leaf_waiter_cancel(waiter);
        waiter->next = leaf->waiters;
        waiter->previous = &leaf->waiters;
        if (waiter->next)
            waiter->next->previous = &waiter->next;
        leaf->waiters = waiter;
        return -EAGAIN;
    }
    if (!leaf->certificate)
        return leaf->error;
    return SSL_use_cert_and_key(ssl, leaf->certificate, leaves->key, leaves->chain, 1) == 1 ? 0
                                                                                            : -EIO;
}

void leaf_waiter_cancel(struct leaf_waiter *waiter)
{
    if (!waiter->previous)
        return;
    *waiter->previous = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    waiter->next = NULL;
    waiter->previous = NULL;
}

static int take(struct leaves *leaves, const struct signer_answer *answer, size_t size)
{
    if (size < offsetof(struct signer_answer, leaf) ||
        answer->size != size - offsetof(struct signer_answer, leaf) || leaves->n_asked == 0)
        return -EBADMSG;
    struct leaf *leaf = leaves->asked[leaves->first_asked];
    if (leaf->id != answer->id)
        return -EBADMSG;
    leaves->first_asked = (leaves->first_asked + 1) % ASKED_MAX;
    leaves->n_asked--;

    const unsigned char *at = answer->leaf;
    leaf->error = answer->error;
    leaf->made = time(NULL);
    if (answer->error == 0) {
        leaf->certificate = d2i_X509(NULL, &at, answer->size);
        if (!leaf->certificate)
            return -EBADMSG;
    }
    wake(leaf);
    return 0;
}

static int on_signer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct leaves *leaves = userdata;
    struct signer_answer answer;
    int r = 0;

    (void)source;
    (void)events;
    while (r == 0) {
        ssize_t n = recv(fd, &answer, sizeof(answer), 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        r = n > 0 ? take(leaves, &answer, (size_t)n) : n == 0 ? -EPIPE : -errno;
    }
    if (r == 0)
        ask_more(leaves);
    return r;
}

static int send_key(struct leaves *leaves)
{
    struct signer_request request = { .kind = SIGNER_SET_KEY };
    unsigned char *der = NULL;

    int size = i2d_PUBKEY(leaves->key, &der);
    if (size <= 0 || (size_t)size > sizeof(request.data)) {
        OPENSSL_free(der);
        return -EIO;
    }
    request.size = (uint32_t)size;
    memcpy(request.data, der, (size_t)size);
    OPENSSL_free(der);
    size_t whole = offsetof(struct signer_request, data) + request.size;
    return send(leaves->signer, &request, whole, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static inline void leaves_freep(struct leaves **leaves)
{
    if (*leaves)
        leaves_free(*leaves);
}

int leaves_new(sd_event *event, int signer, STACK_OF(X509) * chain, struct leaves **ret)
{
    _cleanup_(leaves_freep) struct leaves *leaves = calloc(1, sizeof(*leaves));

    if (!leaves) {
        close(signer);
        sk_X509_pop_free(chain, X509_free);
        return -ENOMEM;
    }
    leaves->event = event;
    leaves->signer = signer;
    leaves->chain = chain;
    leaves->last_to_ask = &leaves->to_ask;
    leaves->key = EVP_EC_gen("P-256");
    if (!leaves->key)
        return -EIO;
    int r = send_key(leaves);
    if (r < 0)
        return r;
    r = sd_event_add_io(event, &leaves->source, signer, EPOLLIN, on_signer, leaves);
    if (r < 0)
        return r;
    r = sd_event_source_set_exit_on_failure(leaves->source, true);
    if (r < 0)
        return r;
    *ret = steal_ptr(leaves);
    return 0;
}

void leaves_free(struct leaves *leaves)
{
    while (leaves->oldest)
        drop(leaves, leaves->oldest);
    sd_event_source_disable_unref(leaves->source);
    EVP_PKEY_free(leaves->key);
    sk_X509_pop_free(leaves->chain, X509_free);
    close(leaves->signer);
    free(leaves);
}
