/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#include "conf/cleanup.h"

int route_open(void)
{
    /* The kernel answers in the call that sends; this is for one that never does. */
    const struct timeval timeout = { .tv_sec = 1 };

    _cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
        return -errno;
    return steal_fd(&fd);
}

struct request {
    struct nlmsghdr header;
    struct rtmsg message;
    struct rtattr attribute;
    uint8_t address[16];
};

static size_t fill(struct request *request, const struct sockaddr *address)
{
    const void *bytes;
    size_t size;

    if (address->sa_family == AF_INET) {
        bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
        size = 4;
    } else {
        bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        size = 16;
    }
    memcpy(request->address, bytes, size);
    request->attribute.rta_type = RTA_DST;
    request->attribute.rta_len = (unsigned short)RTA_LENGTH(size);
    request->message.rtm_family = (unsigned char)address->sa_family;
    request->message.rtm_dst_len = (unsigned char)(size * 8);
    request->header.nlmsg_type = RTM_GETROUTE;
    request->header.nlmsg_flags = NLM_F_REQUEST;
    request->header.nlmsg_len =
        (uint32_t)(NLMSG_LENGTH(sizeof(request->message)) + RTA_LENGTH(size));
    return request->header.nlmsg_len;
}

int route_leaves_host(int route, const struct sockaddr *address)
{
    static uint32_t sequence;
    struct request request = { 0 };
    union {
        struct nlmsghdr header;
        uint8_t bytes[4096];
    } answer;

    if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
        return -EAFNOSUPPORT;
    size_t size = fill(&request, address);
    request.header.nlmsg_seq = ++sequence;
    if (send(route, &request, size, 0) < 0)
        return -errno;
    for (;;) {
        ssize_t n = recv(route, &answer, sizeof(answer), 0);
        if (n < 0)
            return -errno;
        if (!NLMSG_OK(&answer.header, (size_t)n))
            return -EBADMSG;
        /* A late answer to a question that timed out. */
        if (answer.header.nlmsg_seq != sequence)
            continue;
        if (answer.header.nlmsg_type == NLMSG_ERROR) {
            const struct nlmsgerr *error = NLMSG_DATA(&answer.header);

            return error->error < 0 ? error->error : -EBADMSG;
        }
        if (answer.header.nlmsg_type != RTM_NEWROUTE)
            return -EBADMSG;
        const struct rtmsg *message = NLMSG_DATA(&answer.header);
        return message->rtm_type == RTN_UNICAST;
    }
}
