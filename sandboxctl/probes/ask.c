/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/ask.h"
#include "sandboxctl/probes/outside.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* The proxy reaches an origin in this time, or says that it did not. */
#define ANSWER_SECONDS 40

#define CLOSES "Connection: close\r\n\r\n"

/* Another host than the one that is connected to. */
#define FRONT "front." OUTSIDE_HOST

/* By RFC 6455, the key that it has as an example. */
#define WEBSOCKET                                                                                  \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"                   \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

static const struct {
    const char *name;
    bool in_tunnel;
    const char *text; /* {host}: which */
} requests[] = {
    { "read", false, "GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n" CLOSES },
    { "read-tunnel", true, "GET / HTTP/1.1\r\nHost: {host}\r\n" CLOSES },
    { "post", false,
      "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n" CLOSES "data" },
    { "post-tunnel", true,
      "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n" CLOSES "data" },
    { "post-empty", false,
      "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n" CLOSES },
    { "push", false,
      "POST http://{host}/" OUTSIDE_WORD ".git/git-receive-pack HTTP/1.1\r\nHost: {host}\r\n"
      "Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 4\r\n" CLOSES
      "0000" },
    { "body-on-get", false,
      "GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n" CLOSES "data" },
    { "websocket", false, "GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n" WEBSOCKET },
    { "fronting", false, "GET http://{host}/ HTTP/1.1\r\nHost: " FRONT "\r\n" CLOSES },
    { "fronting-tunnel", true, "GET / HTTP/1.1\r\nHost: " FRONT "\r\n" CLOSES },
};

void fill_in(const char *text, const char *mark, const char *value, char *filled, size_t size)
{
    size_t used = 0;
    const char *at;

    filled[0] = '\0';
    for (; used < size && (at = strstr(text, mark)); text = at + strlen(mark))
        used +=
            (size_t)snprintf(filled + used, size - used, "%.*s%s", (int)(at - text), text, value);
    if (used < size)
        snprintf(filled + used, size - used, "%s", text);
}

bool answer_parse(const char *text, struct answer *answer)
{
    static const char field[] = "\r\nX-Egress-Denied:";
    const char *end = strstr(text, "\r\n\r\n"), *denied = strcasestr(text, field);
    char status[4];

    *answer = (struct answer){};
    /* By its digits: to sscanf(3) a number may be negative, unsigned or not. */
    if (!end || sscanf(text, "HTTP/1.%*1[0-9] %3[0-9]", status) != 1)
        return false;
    answer->status = (unsigned)strtoul(status, NULL, 10);
    if (denied && denied < end)
        sscanf(denied + strlen(field), " %63[^ \r\n]", answer->denied);
    snprintf(answer->body, sizeof answer->body, "%s", end + 4);
    return true;
}

bool answer_is_one_of(const char *reason, const char *list)
{
    const size_t length = strlen(reason);

    for (; length > 0 && list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, reason, length) == 0 && strchr(",", list[length]))
            return true;
    }
    return false;
}

int ask_connect(const char *port)
{
    const struct timeval patience = { .tv_sec = ANSWER_SECONDS };
    const struct sockaddr_in proxy = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        connect(fd, (const struct sockaddr *)&proxy, sizeof proxy) < 0)
        return -errno;
    return steal_fd(&fd);
}

int ask_write(int fd, const char *data, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t n = send(fd, data + sent, size - sent, MSG_NOSIGNAL);

        if (n < 0)
            return -errno;
        sent += (size_t)n;
    }
    return 0;
}

/* Whether there is nothing more to wait for: a change of protocols, or a body of known length. */
static bool is_whole(const char *text)
{
    static const char field[] = "\r\nContent-Length:";
    const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, field);

    if (!end)
        return false;
    if (strncmp(text, "HTTP/1.1 101", 12) == 0)
        return true;
    return length && length < end && strlen(end + 4) >= strtoul(length + strlen(field), NULL, 10);
}

ssize_t ask_read(int fd, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    while (used + 1 < size) {
        ssize_t n = recv(fd, text + used, size - 1 - used, 0);

        /* What was refused before it was read is reset afterwards. */
        if (n == 0 || (n < 0 && errno == ECONNRESET && used > 0))
            break;
        if (n < 0)
            return -errno;
        used += (size_t)n;
        text[used] = '\0';
        if (is_whole(text))
            break;
    }
    return (ssize_t)used;
}

int ask_tunnel(int fd, const char *authority)
{
    char text[1024];
    size_t used = 0;
    int r;

    snprintf(text, sizeof text, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", authority, authority);
    r = ask_write(fd, text, strlen(text));
    if (r < 0)
        return r;
    /* Not further than its head: what follows is the tunnel's. */
    do {
        ssize_t n = recv(fd, text + used, 1, 0);

        if (n <= 0)
            return n < 0 ? -errno : -EPROTO;
        text[++used] = '\0';
    } while (used + 1 < sizeof text && !strstr(text, "\r\n\r\n"));
    return strncmp(text, "HTTP/1.1 200", 12) == 0 ? 0 : -EPROTO;
}

enum attempt_result ask_say(const char *what, const struct answer *answer, const char *reasons)
{
    const bool refused = answer_is_one_of(answer->denied, reasons);

    return attempt_say(refused ? ATTEMPT_REFUSED : ATTEMPT_THROUGH, "%s: %u%s%s", what,
                       answer->status, *answer->denied ? " " : "", answer->denied);
}

/* Returns 0 and the answer, or a negative errno. */
static int ask(const char *port, const char *name, const char *host, struct answer *answer)
{
    char text[8192];
    size_t i = 0;

    while (i < sizeof requests / sizeof *requests && strcmp(requests[i].name, name) != 0)
        i++;
    if (i == sizeof requests / sizeof *requests)
        return -EINVAL;
    _cleanup_close_ int fd = ask_connect(port);
    if (fd < 0)
        return fd;
    int r = 0;
    if (requests[i].in_tunnel) {
        snprintf(text, sizeof text, "%s:80", host);
        r = ask_tunnel(fd, text);
    }
    fill_in(requests[i].text, "{host}", host, text, sizeof text);
    if (r == 0)
        r = ask_write(fd, text, strlen(text));
    ssize_t n = r < 0 ? r : ask_read(fd, text, sizeof text);
    if (n < 0)
        return (int)n;
    return answer_parse(text, answer) ? 0 : -EPROTO;
}

/* ask PORT REQUEST HOST REASONS: gets through when the proxy at that port gives another answer than
 * a refusal of its own for one of the reasons: also when it went as far as to find nobody there. */
enum attempt_result attempt_ask(int argc, char **argv)
{
    struct answer answer;
    char what[300];
    int r;

    if (argc != 5)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to ask");
    snprintf(what, sizeof what, "%s of %s through the proxy", argv[2], argv[3]);
    r = ask(argv[1], argv[2], argv[3], &answer);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s: %s", what, strerror(-r));
    return ask_say(what, &answer, argv[4]);
}

/* fetch PORT REQUEST HOST: gets through when the origin outside has answered. */
enum attempt_result attempt_fetch(int argc, char **argv)
{
    struct answer answer;
    int r;

    if (argc != 4)
        return attempt_say(ATTEMPT_UNTRIED, "nothing to ask");
    r = ask(argv[1], argv[2], argv[3], &answer);
    if (r < 0)
        return attempt_say(ATTEMPT_UNTRIED, "%s of %s: %s", argv[2], argv[3], strerror(-r));
    if (answer.status == 101 ||
        (answer.status == 200 && strncmp(answer.body, OUTSIDE_WORD, strlen(OUTSIDE_WORD)) == 0))
        return attempt_say(ATTEMPT_THROUGH, "%s of %s: answered by it", argv[2], argv[3]);
    return attempt_say(ATTEMPT_REFUSED, "%s of %s: %u %s: %.200s", argv[2], argv[3], answer.status,
                       answer.denied, answer.body);
}

/* ask-raw PORT HOST: gets through when the host answers what is neither TLS nor HTTP. */
enum attempt_result attempt_ask_raw(int argc, char **argv)
{
    static const struct {
        const char *data;
        size_t size;
    } words[] = { { "\0\1\2\3", 4 }, { "ssh-2.0\r\n\r\n", 11 }, { "SSH-2.0-x\r\n\r\n", 13 } };

    for (size_t i = 0; argc == 3 && i < sizeof words / sizeof *words; i++) {
        _cleanup_close_ int fd = ask_connect(argv[1]);
        char text[1024];
        ssize_t n;

        snprintf(text, sizeof text, "%s:80", argv[2]);
        int r = fd < 0 ? fd : ask_tunnel(fd, text);
        if (r == 0)
            r = ask_write(fd, words[i].data, words[i].size);
        if (r < 0)
            return attempt_say(ATTEMPT_UNTRIED, "a tunnel to %s: %s", argv[2], strerror(-r));
        n = ask_read(fd, text, sizeof text);
        if (n > 0 && strstr(text, OUTSIDE_WORD))
            return attempt_say(ATTEMPT_THROUGH, "bytes of no protocol to %s: answered", argv[2]);
        if (n < 0 && n != -ECONNRESET)
            return attempt_say(ATTEMPT_UNTRIED, "bytes of no protocol to %s: %s", argv[2],
                               strerror((int)-n));
    }
    if (argc != 3)
        return attempt_say(ATTEMPT_UNTRIED, "no host to reach");
    return attempt_say(ATTEMPT_REFUSED, "bytes of no protocol to %s: the tunnel was closed",
                       argv[2]);
}
