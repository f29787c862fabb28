/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/listening.h"

#include "conf/cleanup.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* include/net/tcp_states.h: TCP_LISTEN */
#define STATE_LISTEN 0x0a

static int compare_inodes(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static bool has_inode(const struct listening_sockets *sockets, uint64_t inode)
{
    return sockets->n > 0 &&
           bsearch(&inode, sockets->inodes, sockets->n, sizeof(inode), compare_inodes);
}

void listening_parse(FILE *file, const struct listening_sockets *held, struct listening *ret)
{
    char line[512];

    *ret = (struct listening){ 0 };
    while (fgets(line, sizeof(line), file)) {
        unsigned port, state, uid;
        uint32_t address;
        uint64_t inode;

        /* An address as its bytes in memory make a number, a port as people write it; in hex. */
        if (sscanf(line, " %*u: %" SCNx32 ":%x %*x:%*x %x %*x:%*x %*x:%*x %*x %u %*u %" SCNu64,
                   &address, &port, &state, &uid, &inode) != 5)
            continue;
        if (address == htonl(INADDR_LOOPBACK) && state == STATE_LISTEN && uid == 0 &&
            port < 65536 && (!held || has_inode(held, inode)))
            ret->ports[port / 8] |= (uint8_t)(1 << port % 8);
    }
}

static int add_inode(struct listening_sockets *sockets, uint64_t inode)
{
    uint64_t *inodes = reallocarray(sockets->inodes, sockets->n + 1, sizeof(*inodes));

    if (!inodes)
        return -ENOMEM;
    sockets->inodes = inodes;
    inodes[sockets->n++] = inode;
    return 0;
}

/* Those of process 1. */
static int read_held(struct listening_sockets *ret)
{
    _cleanup_closedir_ DIR *dir = opendir("/proc/1/fd");
    struct dirent *entry;
    int r = 0;

    if (!dir)
        return -errno;
    while (r == 0 && (entry = readdir(dir))) {
        char target[64] = "";
        uint64_t inode;

        if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) > 0 &&
            sscanf(target, "socket:[%" SCNu64 "]", &inode) == 1)
            r = add_inode(ret, inode);
    }
    if (r == 0 && ret->n > 0)
        qsort(ret->inodes, ret->n, sizeof(*ret->inodes), compare_inodes);
    return r;
}

int listening_read(struct listening *ret)
{
    _cleanup_fclose_ FILE *file = fopen("/proc/net/tcp", "re");
    struct listening_sockets held = { 0 };

    if (!file)
        return -errno;
    int r = read_held(&held);
    if (r == -ENOMEM) {
        free(held.inodes);
        return r;
    }
    listening_parse(file, r < 0 ? NULL : &held, ret);
    free(held.inodes);
    return ferror(file) ? -EIO : 0;
}

bool listening_has(const struct listening *listening, uint16_t port)
{
    return listening->ports[port / 8] >> port % 8 & 1;
}
