/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/events.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "conf/cleanup.h"
#include "firewall/ruleset.h"

/* A thousand sandboxes make some megabytes of messages, which are ours and read at once. */
#define BUFFER_SIZE (32 << 20)

int events_open(void)
{
    _cleanup_close_ int fd =
        socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER);
    const struct sockaddr_nl address = { .nl_family = AF_NETLINK };
    const int size = BUFFER_SIZE, group = NFNLGRP_NFTABLES;

    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0 ||
        setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* The table's name is attribute 1 of every message about a table or what is in one. */
_Static_assert(NFTA_TABLE_NAME == 1 && NFTA_CHAIN_TABLE == 1 && NFTA_RULE_TABLE == 1 &&
                   NFTA_SET_TABLE == 1 && NFTA_SET_ELEM_LIST_TABLE == 1 && NFTA_OBJ_TABLE == 1 &&
                   NFTA_FLOWTABLE_TABLE == 1,
               "linux/netfilter/nf_tables.h");

static bool is_about_our_table(const char *attributes, size_t size)
{
    struct nlattr attribute;

    for (; size >= sizeof attribute;
         attributes += NLA_ALIGN(attribute.nla_len), size -= NLA_ALIGN(attribute.nla_len)) {
        memcpy(&attribute, attributes, sizeof attribute);
        if (attribute.nla_len < sizeof attribute || attribute.nla_len > size)
            return false;
        if ((attribute.nla_type & NLA_TYPE_MASK) == NFTA_TABLE_NAME)
            return attribute.nla_len - sizeof attribute == sizeof RULESET_TABLE &&
                   memcmp(attributes + sizeof attribute, RULESET_TABLE, sizeof RULESET_TABLE) == 0;
        if ((size_t)NLA_ALIGN(attribute.nla_len) > size)
            return false;
    }
    return false;
}

void events_look(const void *data, unsigned size, bool *ours, unsigned *transactions)
{
    const char *p = data;
    struct nlmsghdr header;

    for (; size >= sizeof header;
         p += NLMSG_ALIGN(header.nlmsg_len), size -= NLMSG_ALIGN(header.nlmsg_len)) {
        memcpy(&header, p, sizeof header);
        if (header.nlmsg_len < sizeof header + sizeof(struct nfgenmsg) || header.nlmsg_len > size)
            return;
        if (header.nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWGEN)) {
            *transactions += *ours;
            *ours = false;
        } else if (header.nlmsg_type >> 8 == NFNL_SUBSYS_NFTABLES &&
                   (uint8_t)p[sizeof header] == NFPROTO_INET)
            *ours |= is_about_our_table(p + sizeof header + sizeof(struct nfgenmsg),
                                        header.nlmsg_len - sizeof header - sizeof(struct nfgenmsg));
        if (NLMSG_ALIGN(header.nlmsg_len) > size)
            return;
    }
}

int events_read(int fd)
{
    static char buffer[1 << 16];
    unsigned transactions = 0;
    bool ours = false, lost = false;

    for (;;) {
        struct sockaddr_nl from;
        socklen_t from_size = sizeof from;
        ssize_t n = recvfrom(fd, buffer, sizeof buffer, 0, (struct sockaddr *)&from, &from_size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == ENOBUFS) {
            lost = true;
            continue;
        }
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0)
            return -errno;
        if (from.nl_pid == 0) /* the kernel, and nobody else */
            events_look(buffer, (unsigned)n, &ours, &transactions);
    }
    /* Without its end, which is the last message of a transaction. */
    return lost ? -ENOBUFS : (int)(transactions + ours);
}
