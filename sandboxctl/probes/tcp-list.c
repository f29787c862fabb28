/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/tcp-list.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* include/net/tcp_states.h: TCP_LISTEN */
#define LISTENING 0x0a

void tcp_list_done(struct tcp_list *list)
{
    free(list->list);
    *list = (struct tcp_list){};
}

static int add(struct tcp_list *list, const struct tcp_listener *listener)
{
    struct tcp_listener *larger = reallocarray(list->list, list->n + 1, sizeof *larger);

    if (!larger)
        return -ENOMEM;
    list->list = larger;
    list->list[list->n++] = *listener;
    return 0;
}

/* The address is printed as 32-bit words of the machine's own byte order, net/ipv4/tcp_ipv4.c and
 * net/ipv6/tcp_ipv6.c. Returns whether it is one. */
static bool parse_address(const char *text, char *address)
{
    const size_t n = strlen(text) / 8;
    uint32_t words[4] = {};
    char word[9] = "";

    if (strlen(text) != 8 && strlen(text) != 32)
        return false;
    for (size_t i = 0; i < n; i++) {
        char *end;

        memcpy(word, text + 8 * i, 8);
        words[i] = (uint32_t)strtoul(word, &end, 16);
        if (*end)
            return false;
    }
    if (n == 1 && words[0] == 0)
        return strcpy(address, "127.0.0.1");
    if (n == 4 && memcmp(words, &in6addr_any, sizeof words) == 0)
        return strcpy(address, "::1");
    return inet_ntop(n == 1 ? AF_INET : AF_INET6, words, address, INET6_ADDRSTRLEN);
}

/* sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid */
static bool parse_line(const char *line, struct tcp_listener *listener)
{
    char address[33];
    unsigned port, state, uid;

    if (sscanf(line, "%*u: %32[0-9A-Fa-f]:%4x %*[0-9A-Fa-f]:%*x %2x %*x:%*x %*x:%*x %*x %u",
               address, &port, &state, &uid) != 4 ||
        state != LISTENING || !parse_address(address, listener->address))
        return false;
    listener->port = (uint16_t)port;
    listener->uid = uid;
    return true;
}

int tcp_list_parse(const char *text, struct tcp_list *list)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        struct tcp_listener listener;
        char line[256];

        /* What sscanf(3) gets it measures, and this text is as long as there are connections. */
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line),
                 text);
        text += length + (text[length] == '\n');
        if (!parse_line(line, &listener))
            continue;
        int r = add(list, &listener);
        if (r < 0)
            return r;
    }
    return 0;
}

bool tcp_list_is_allowed(const struct config_sandbox *sandbox, const struct tcp_listener *listener)
{
    const struct config_id_range *subids = &sandbox->subids;

    if (listener->uid == sandbox->uid ||
        (listener->uid >= subids->start && listener->uid - subids->start < subids->count))
        return true;
    if (sandbox->egress.proxy && listener->port == config_egress_port(sandbox) &&
        strcmp(listener->address, "127.0.0.1") == 0)
        return true;
    for (size_t i = 0; i < sandbox->local.n_allow_tcp_ports; i++)
        if (sandbox->local.allow_tcp_ports[i] == listener->port)
            return true;
    /* Without a proxy it asks this host's resolver. */
    return !sandbox->egress.proxy && listener->port == 53;
}

static int read_file(const char *path, struct tcp_list *list)
{
    _cleanup_fclose_ FILE *file = fopen(path, "re");
    _cleanup_free_ char *text = NULL;
    size_t size = 0;

    if (!file)
        return errno == ENOENT ? 0 : -errno; /* a host without IPv6 has no tcp6 */
    errno = 0;
    if (getdelim(&text, &size, '\0', file) < 0)
        return errno ? -errno : 0;
    return tcp_list_parse(text, list);
}

static int compare(const void *a, const void *b)
{
    const struct tcp_listener *first = a, *second = b;

    return first->port != second->port ? first->port - second->port
                                       : strcmp(first->address, second->address);
}

int tcp_list_read(struct tcp_list *list)
{
    int r = read_file("/proc/net/tcp", list);

    if (r == 0)
        r = read_file("/proc/net/tcp6", list);
    if (r == 0 && list->n > 0)
        qsort(list->list, list->n, sizeof *list->list, compare);
    return r;
}
