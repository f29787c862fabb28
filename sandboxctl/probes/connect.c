/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session's side of connecting to Unix sockets. A name on the command line is a word of
 * word_encode(), and an abstract one's begins with '@'. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/words.h"

#include "conf/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

/* In this order: at a path the kernel says whether the type is another one. */
static const struct {
    int type;
    const char *name;
} types[] = {
    { SOCK_STREAM, "stream" },
    { SOCK_SEQPACKET, "seqpacket" },
    { SOCK_DGRAM, "dgram" },
};

#define N_TYPES (sizeof types / sizeof *types)

int connect_address(const char *word, struct sockaddr_un *address, socklen_t *length)
{
    const bool is_abstract = word[0] == '@';
    char name[sizeof address->sun_path + 1];
    long n = word_decode(word + is_abstract, name, sizeof name);

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (n < 0)
        return (int)n;
    if (n == 0 || (size_t)n + is_abstract > sizeof address->sun_path)
        return -ENAMETOOLONG;
    memcpy(address->sun_path + is_abstract, name, n);
    *length = offsetof(struct sockaddr_un, sun_path) + is_abstract + n;
    return 0;
}

/* What /proc/net/unix shows as '@' in an abstract name may be a NUL. */
static bool restore_nuls(struct sockaddr_un *address, socklen_t length)
{
    const size_t size = length - offsetof(struct sockaddr_un, sun_path);
    bool any = false;

    for (size_t i = 1; address->sun_path[0] == '\0' && i < size; i++)
        if (address->sun_path[i] == '@') {
            address->sun_path[i] = '\0';
            any = true;
        }
    return any;
}

/* A datagram socket is asked for its permission by connect(2) as well, and gets nothing. */
static int connect_type(int type, const struct sockaddr_un *address, socklen_t length)
{
    _cleanup_close_ int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    /* A queue that is full lets one wait before anybody is asked. */
    const struct timeval patience = { .tv_sec = 10 };

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ||
        connect(fd, (const struct sockaddr *)address, length) < 0)
        return -errno;
    return 0;
}

/* Whether it is what the kernel says when nobody is behind the name, for this type. */
static bool is_nobody(int r, bool is_abstract)
{
    return r == -EPROTOTYPE || (is_abstract && r == -ECONNREFUSED);
}

/* With whichever type it is. */
static int connect_any(const struct sockaddr_un *address, socklen_t length)
{
    const bool is_abstract = address->sun_path[0] == '\0';
    int r = -EPROTOTYPE;

    for (size_t i = 0; i < N_TYPES && is_nobody(r, is_abstract); i++)
        r = connect_type(types[i].type, address, length);
    return r;
}

/* connect NAME: gets through when there is a connection. What is not there for it, it cannot reach
 * either. */
enum attempt_result attempt_connect(int argc, char **argv)
{
    struct sockaddr_un address;
    socklen_t length;
    int r;

    if (argc != 2 || connect_address(argv[1], &address, &length) < 0)
        return attempt_say(ATTEMPT_UNTRIED, "no socket to connect to");
    r = connect_any(&address, length);
    if (r == -ECONNREFUSED && restore_nuls(&address, length))
        r = connect_any(&address, length);

    switch (r) {
    case 0:
        return attempt_say(ATTEMPT_THROUGH, "connect to %s: connected", argv[1]);
    case -EPERM:
    case -EACCES:
        return attempt_say(ATTEMPT_REFUSED, "connect to %s: %s", argv[1], strerror(-r));
    case -ENOENT:
    case -ENOTDIR:
    case -ECONNREFUSED:
        return attempt_say(ATTEMPT_REFUSED, "connect to %s: not there for it", argv[1]);
    default:
        return attempt_say(ATTEMPT_UNTRIED, "connect to %s: %s", argv[1], strerror(-r));
    }
}

static int find_path(const struct sockaddr_un *address, socklen_t length)
{
    int r = connect_type(SOCK_DGRAM, address, length);

    /* It is of a type that would be connected: the path was walked, and the mode asked. */
    return r == -EPROTOTYPE ? 0 : r;
}

static int find_abstract(struct sockaddr_un *address, socklen_t length)
{
    do
        for (size_t i = 0; i < N_TYPES; i++) {
            _cleanup_close_ int fd = socket(AF_UNIX, types[i].type | SOCK_CLOEXEC, 0);

            if (fd < 0)
                return -errno;
            if (bind(fd, (const struct sockaddr *)address, length) < 0)
                return errno == EADDRINUSE ? 0 : -errno;
        }
    while (restore_nuls(address, length));
    return -ENOENT;
}

int connect_find(const char *word)
{
    struct sockaddr_un address;
    socklen_t length;
    int r = connect_address(word, &address, &length);

    if (r < 0)
        return r;
    return address.sun_path[0] ? find_path(&address, length) : find_abstract(&address, length);
}

int connect_listen(const char *word, int type)
{
    _cleanup_close_ int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    struct sockaddr_un address;
    socklen_t length;
    int r = connect_address(word, &address, &length);

    if (r < 0)
        return r;
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, length) < 0)
        return -errno;
    /* So that only a policy can refuse. */
    if (address.sun_path[0] && chmod(address.sun_path, 0777) < 0)
        return -errno;
    if (type != SOCK_DGRAM && listen(fd, 8) < 0)
        return -errno;
    return steal_fd(&fd);
}

void connect_canary_word(char *word, size_t size, const char *prefix, size_t type)
{
    snprintf(word, size, "%s-%s", prefix, types[type].name);
}

int connect_canary_type(size_t type)
{
    return types[type].type;
}

/* connect-own PREFIX: gets through when it binds a name of each type and connects to it. */
enum attempt_result attempt_connect_own(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < N_TYPES; i++) {
        _cleanup_close_ int fd = -EBADF;
        struct sockaddr_un address;
        char word[300];
        socklen_t length;
        int r;

        connect_canary_word(word, sizeof word, argv[1], i);
        fd = connect_listen(word, types[i].type);
        r = fd < 0 ? fd : connect_address(word, &address, &length);
        if (r >= 0)
            r = connect_type(types[i].type, &address, length);
        if (fd >= 0 && word[0] == '/')
            unlink(address.sun_path);
        if (r < 0)
            return attempt_say(ATTEMPT_REFUSED, "a %s socket of its own, %s: %s", types[i].name,
                               word, strerror(-r));
    }
    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no name to bind");
    return attempt_say(ATTEMPT_THROUGH, "its own sockets %s-*: connected", argv[1]);
}
