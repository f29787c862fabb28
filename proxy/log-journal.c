/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/log-journal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "conf/cleanup.h"

#define MAX_FIELDS 16

int log_journal_send(const char *path, const char *const *fields)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct iovec parts[2 * MAX_FIELDS];
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = sizeof address,
        .msg_iov = parts,
    };

    if (fd < 0)
        return -errno;
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    for (; *fields; fields++) {
        if (message.msg_iovlen == 2 * MAX_FIELDS)
            return -E2BIG;
        parts[message.msg_iovlen++] =
            (struct iovec){ .iov_base = (char *)*fields, .iov_len = strlen(*fields) };
        parts[message.msg_iovlen++] = (struct iovec){ .iov_base = "\n", .iov_len = 1 };
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
