/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* egress ask [OPTION]… HOST ADDRESS PATH: asks by HTTPS, many times and from many connections, and
 * prints seconds, how many requests a second, and the median of microseconds to the first byte.
 *
 *   -p PORT    through the proxy at this port of 127.0.0.1, by CONNECT
 *   -n COUNT   requests, -c COUNT connections at once
 *   -f         each on a connection of its own
 *   -m         … and to a host of its own, N.HOST
 *   -b BYTES   with a body of this size, by POST
 *   -s STATUS  that is to be the status of each answer, 200 otherwise
 *   -e         each on a connection of its own, and until the first event of a stream has come
 *   -h         says "held" instead when all connections were used, and holds them until its input
 *              ends
 *
 * egress events SOCKET: answers each request with one event, and ends a second later.
 *
 * egress relay PORT CERTIFICATE KEY HOST ADDRESS: ends TLS, begins it anew and copies, one
 * connection after another: what two legs cost by themselves. CONNECT is granted unseen. */

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PIECE (64 * 1024)

struct connection {
    int fd;
    SSL *ssl;
};

static SSL_CTX *context;
static const char *host, *address, *path;
static unsigned proxy_port, n_requests = 1, n_connections = 1, expected = 200;
static size_t body_size;
static bool fresh, many_hosts, hold, events;
static char body[PIECE];
static atomic_uint next_request;
static unsigned *latencies; /* microseconds, of each request */

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "egress: %s: %s\n", what, errno ? strerror(errno) : "not what was expected");
    ERR_print_errors_fp(stderr);
    exit(1);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int dial(const char *to, unsigned port)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    inet_pton(AF_INET, to, &in.sin_addr);
    if (fd < 0 || connect(fd, (struct sockaddr *)&in, sizeof(in)) < 0)
        fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

/* Reads up to the end of a head and no further, and compares what comes first. */
static void read_head(int fd, const char *begin)
{
    char head[4096];
    size_t size = 0;

    while (size < 4 || memcmp(head + size - 4, "\r\n\r\n", 4) != 0)
        if (size == sizeof(head) || read(fd, head + size++, 1) != 1)
            fail("a head in the clear");
    if (strncmp(head, begin, strlen(begin)) != 0) {
        /* tinyproxy answers in HTTP/1.0. */
        head[7] = '1';
        if (strncmp(head, begin, strlen(begin)) != 0)
            fail("a head in the clear");
    }
}

static SSL *shake(SSL_CTX *with, int fd, const char *name)
{
    SSL *ssl = SSL_new(with);

    if (!ssl || SSL_set_fd(ssl, fd) != 1)
        fail("TLS");
    if (name && SSL_set_tlsext_host_name(ssl, name) != 1)
        fail("TLS");
    if ((name ? SSL_connect(ssl) : SSL_accept(ssl)) != 1)
        fail("handshake");
    return ssl;
}

static void open_connection(struct connection *connection, const char *name)
{
    if (proxy_port == 0)
        connection->fd = dial(address, 443);
    else {
        connection->fd = dial("127.0.0.1", proxy_port);
        dprintf(connection->fd, "CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n", name, name);
        read_head(connection->fd, "HTTP/1.1 200");
    }
    connection->ssl = shake(context, connection->fd, name);
}

static void close_connection(struct connection *connection)
{
    SSL_free(connection->ssl);
    if (connection->ssl)
        close(connection->fd);
    connection->ssl = NULL;
}

static void send_request(SSL *ssl, const char *name)
{
    char head[1024];
    int size = body_size == 0
                   ? snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, name)
                   : snprintf(head, sizeof(head),
                              "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %zu\r\n\r\n", path,
                              name, body_size);

    if (SSL_write(ssl, head, size) != size)
        fail("request");
    for (size_t left = body_size; left > 0;) {
        int piece = (int)(left < sizeof(body) ? left : sizeof(body));

        if (SSL_write(ssl, body, piece) != piece)
            fail("body");
        left -= (size_t)piece;
    }
}

/* Returns when its first byte had come. */
static double read_answer(SSL *ssl)
{
    char data[PIECE + 1], *end = NULL;
    size_t size = 0, left = 0;
    double first = 0;
    unsigned status;

    while (!end) {
        int n = SSL_read(ssl, data + size, (int)(PIECE - size));
        if (n <= 0)
            fail("answer");
        if (size == 0)
            first = now();
        size += (size_t)n;
        data[size] = '\0';
        end = strstr(data, "\r\n\r\n");
    }
    if (sscanf(data, "HTTP/1.1 %u", &status) != 1 || status != expected) {
        fprintf(stderr, "%.400s\n", data);
        fail("status");
    }
    char *field = strcasestr(data, "\r\ncontent-length:");
    if (!field || field > end)
        fail("an answer without a length");
    left = strtoul(field + 17, NULL, 10) - (size_t)(data + size - (end + 4));
    while (left > 0) {
        int n = SSL_read(ssl, data, (int)(left < PIECE ? left : PIECE));
        if (n <= 0)
            fail("the body of an answer");
        left -= (size_t)n;
    }
    return first;
}

/* Returns when all of the first event had come. */
static double read_event(SSL *ssl)
{
    char data[4096];
    size_t size = 0;

    do {
        int n = SSL_read(ssl, data + size, (int)(sizeof(data) - 1 - size));
        if (n <= 0)
            fail("an event");
        size += (size_t)n;
        data[size] = '\0';
        if (size >= 12 && memcmp(data, "HTTP/1.1 200", 12) != 0)
            fail("the head of a stream");
    } while (!strstr(data, "data: 1\n\n"));
    return now();
}

static void *ask(void *userdata)
{
    struct connection connection = { 0 };
    char name[256];
    unsigned i;

    (void)userdata;
    while ((i = atomic_fetch_add(&next_request, 1)) < n_requests) {
        if (many_hosts)
            snprintf(name, sizeof(name), "n%u.%s", i, host);
        else
            snprintf(name, sizeof(name), "%s", host);
        if (fresh)
            close_connection(&connection);
        if (hold)
            connection.ssl = NULL;
        double begin = now();
        if (!connection.ssl)
            open_connection(&connection, name);
        send_request(connection.ssl, name);
        double end = events ? read_event(connection.ssl) : read_answer(connection.ssl);
        latencies[i] = (unsigned)((end - begin) * 1e6);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int run_ask(void)
{
    pthread_t threads[256];

    context = SSL_CTX_new(TLS_client_method());
    latencies = calloc(n_requests, sizeof(*latencies));
    if (!context || !latencies || n_connections > 256)
        fail("start");
    /* What is measured is the proxy; that its certificates are good is tested elsewhere. */
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    double begin = now();
    for (unsigned i = 0; i < n_connections; i++)
        if (pthread_create(&threads[i], NULL, ask, NULL) != 0)
            fail("thread");
    for (unsigned i = 0; i < n_connections; i++)
        pthread_join(threads[i], NULL);
    double seconds = now() - begin;
    if (hold) {
        puts("held");
        fflush(stdout);
        while (getchar() != EOF)
            ;
        return 0;
    }
    qsort(latencies, n_requests, sizeof(*latencies), compare);
    printf("%.3f %.1f %u\n", seconds, n_requests / seconds, latencies[n_requests / 2]);
    return 0;
}

static void *send_event(void *userdata)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                 "Connection: close\r\n\r\ndata: 1\n\n";
    int fd = (int)(intptr_t)userdata;
    struct pollfd end = { fd, POLLIN, 0 };

    read_head(fd, "GET ");
    if (write(fd, answer, sizeof(answer) - 1) == sizeof(answer) - 1)
        poll(&end, 1, 1000);
    close(fd);
    return NULL;
}

static int run_events(const char *path)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;
    pthread_t thread;

    snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&un, sizeof(un)) < 0 ||
        chmod(path, 0666) < 0 || listen(listener, 16) < 0)
        fail("listen");
    while ((fd = accept(listener, NULL, NULL)) >= 0)
        if (pthread_create(&thread, NULL, send_event, (void *)(intptr_t)fd) != 0 ||
            pthread_detach(thread) != 0)
            fail("thread");
    return 1;
}

/* Whatever comes from one goes to the other; false: there is no more. */
static bool copy(SSL *from, SSL *to)
{
    static char data[PIECE];

    do {
        int n = SSL_read(from, data, sizeof(data));
        if (n <= 0 && SSL_get_error(from, n) == SSL_ERROR_WANT_READ)
            return true;
        if (n <= 0 || SSL_write(to, data, n) != n)
            return false;
    } while (SSL_pending(from) > 0);
    return true;
}

static void relay(SSL_CTX *server, int fd)
{
    read_head(fd, "CONNECT ");
    if (write(fd, "HTTP/1.1 200 OK\r\n\r\n", 19) != 19)
        fail("answer");
    SSL *near = shake(server, fd, NULL);
    SSL *far = shake(context, dial(address, 443), host);
    struct pollfd ends[] = { { fd, POLLIN, 0 }, { SSL_get_fd(far), POLLIN, 0 } };

    while (poll(ends, 2, -1) > 0)
        if ((ends[0].revents && !copy(near, far)) || (ends[1].revents && !copy(far, near)))
            break;
    close(ends[1].fd);
    SSL_free(near);
    SSL_free(far);
}

static int run_relay(char **arguments)
{
    struct sockaddr_in in = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)atoi(arguments[0])),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    /* The same legs as the proxy's. */
    static const char suites[] = "TLS_AES_128_GCM_SHA256";
    SSL_CTX *server = SSL_CTX_new(TLS_server_method());
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

    host = arguments[3];
    address = arguments[4];
    context = SSL_CTX_new(TLS_client_method());
    if (!context || !server || listener < 0 ||
        SSL_CTX_use_certificate_chain_file(server, arguments[1]) != 1 ||
        SSL_CTX_use_PrivateKey_file(server, arguments[2], SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_set_default_verify_paths(context) != 1 ||
        SSL_CTX_set_ciphersuites(server, suites) != 1 ||
        SSL_CTX_set_ciphersuites(context, suites) != 1 ||
        bind(listener, (struct sockaddr *)&in, sizeof(in)) < 0 || listen(listener, 16) < 0)
        fail("listen");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    /* A record that has no data, as a ticket, must not make it wait for one that has. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_clear_mode(server, SSL_MODE_AUTO_RETRY);
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        relay(server, fd);
        close(fd);
    }
    return 1;
}

int main(int argc, char **argv)
{
    int option;

    signal(SIGPIPE, SIG_IGN);
    if (argc == 7 && strcmp(argv[1], "relay") == 0)
        return run_relay(argv + 2);
    if (argc == 3 && strcmp(argv[1], "events") == 0)
        return run_events(argv[2]);
    if (argc < 2 || strcmp(argv[1], "ask") != 0)
        return 2;
    argc--;
    argv++;
    while ((option = getopt(argc, argv, "p:n:c:fmb:s:eh")) >= 0)
        switch (option) {
        case 'p':
            proxy_port = (unsigned)atoi(optarg);
            break;
        case 'n':
            n_requests = (unsigned)atoi(optarg);
            break;
        case 'c':
            n_connections = (unsigned)atoi(optarg);
            break;
        case 'm':
            many_hosts = true;
            fresh = true;
            break;
        case 'f':
            fresh = true;
            break;
        case 'b':
            body_size = strtoul(optarg, NULL, 10);
            break;
        case 's':
            expected = (unsigned)atoi(optarg);
            break;
        case 'e':
            events = true;
            fresh = true;
            break;
        case 'h':
            hold = true;
            break;
        default:
            return 2;
        }
    if (argc - optind != 3)
        return 2;
    host = argv[optind];
    address = argv[optind + 1];
    path = argv[optind + 2];
    return run_ask();
}
