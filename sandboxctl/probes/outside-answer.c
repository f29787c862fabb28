/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The origin outside: one answer a connection, for what the check's own requests and the clients of
 * the common registries ask. No server beside that. */
#include "sandboxctl/probes/outside.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* RFC 6455, 1.3: of the key that attempts send. */
#define WEBSOCKET_ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/* By the beginning of the path, the longest first. */
static const struct {
    const char *path;
    const char *type;
    const char *body;
} pages[] = {
    /* git: a repository as files, gitprotocol-http(5). */
    { "/" OUTSIDE_WORD ".git/info/refs", "text/plain",
      "0123456789abcdef0123456789abcdef01234567\trefs/heads/" OUTSIDE_WORD "\n" },
    { "/" OUTSIDE_WORD ".git/HEAD", "text/plain", "ref: refs/heads/" OUTSIDE_WORD "\n" },
    { "/" OUTSIDE_WORD ".git/git-receive-pack", "text/plain", OUTSIDE_WORD "\n" },
    /* npm: what npm view asks for. */
    { "/" OUTSIDE_WORD, "application/json",
      "{\"name\":\"" OUTSIDE_WORD "\",\"dist-tags\":{\"latest\":\"1.2.3\"},\"versions\":{\"1.2.3\":"
      "{\"name\":\"" OUTSIDE_WORD
      "\",\"version\":\"1.2.3\",\"dist\":{\"tarball\":\"http://localhost/"
      "x.tgz\",\"shasum\":\"0123456789abcdef0123456789abcdef01234567\"}}}}\n" },
    /* pip: PEP 503. */
    { "/simple/" OUTSIDE_WORD "/", "text/html",
      "<!DOCTYPE html><html><body><a href=\"pam_sandbox_check-1.2.3-py3-none-any.whl\">"
      "pam_sandbox_check-1.2.3-py3-none-any.whl</a></body></html>\n" },
    /* cargo: a sparse index, whose registry has a search. */
    { "/index/config.json", "application/json",
      "{\"dl\":\"http://localhost/dl\",\"api\":\"http://%s\"}\n" },
    { "/api/v1/crates", "application/json",
      "{\"crates\":[{\"name\":\"" OUTSIDE_WORD
      "\",\"max_version\":\"1.2.3\",\"description\":\"\"}],"
      "\"meta\":{\"total\":1}}\n" },
    { "/", "text/plain", OUTSIDE_WORD "\n" },
};

static size_t read_head(int fd, char *head, size_t size)
{
    size_t used = 0;

    while (used + 1 < size) {
        ssize_t n = read(fd, head + used, size - 1 - used);

        if (n <= 0)
            break;
        used += (size_t)n;
        head[used] = '\0';
        /* What is no HTTP is answered at once. */
        if (head[0] < 'A' || head[0] > 'Z' || strstr(head, "\r\n\r\n"))
            break;
    }
    head[used] = '\0';
    return used;
}

static void say(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        return; /* who is gone is gone */
}

static void answer_page(int fd, const char *path, const char *host)
{
    char body[1024], head[256];
    size_t i = 0;

    while (strncmp(path, pages[i].path, strlen(pages[i].path)) != 0)
        i++;
    /* Of the pages above, one has a place for the host. */
    const char *place = strstr(pages[i].body, "%s");
    if (place)
        snprintf(body, sizeof body, "%.*s%s%s", (int)(place - pages[i].body), pages[i].body, host,
                 place + 2);
    else
        snprintf(body, sizeof body, "%s", pages[i].body);
    snprintf(head, sizeof head,
             "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n",
             pages[i].type, strlen(body));
    say(fd, head);
    say(fd, body);
}

void outside_answer(int fd)
{
    char head[8192], path[1024] = "/", host[256] = "";
    const char *field;

    if (read_head(fd, head, sizeof head) == 0)
        return;
    if (sscanf(head, "%*15s %1023s HTTP/", path) != 1 || path[0] != '/') {
        say(fd, OUTSIDE_WORD "\n");
        return;
    }
    field = strcasestr(head, "\r\nhost:");
    if (field)
        sscanf(field + strlen("\r\nhost:"), " %255[^\r\n]", host);
    if (strcasestr(head, "\r\nupgrade: websocket"))
        say(fd, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Accept: " WEBSOCKET_ACCEPT "\r\n\r\n");
    else
        answer_page(fd, path, host);
    /* Until the other side has read it: with bytes of a body unread, a close would be a reset. */
    shutdown(fd, SHUT_WR);
    while (read(fd, head, sizeof head) > 0)
        ;
}
