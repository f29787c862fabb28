/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/unix-list.h"
#include "sandboxctl/probes/words.h"

#include "conf/cleanup.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* The kernel's __SO_ACCEPTCON, in the flags of a socket that listens. */
#define FLAG_LISTENS 0x10000u

int unix_list_parse(const char *line, struct unix_socket *socket)
{
    unsigned flags, type;
    unsigned long inode;
    int end = 0;
    size_t length;

    if (sscanf(line, "%*[^:]: %*x %*x %x %x %*x %lu%n", &flags, &type, &inode, &end) != 3 ||
        line[end] != ' ')
        return 0;
    if (type != SOCK_DGRAM && !(flags & FLAG_LISTENS))
        return 0;
    line += end + 1;
    length = strcspn(line, "\n");
    *socket = (struct unix_socket){ .type = (int)type, .inode = inode };
    if (line[0] == '@') {
        socket->is_abstract = true;
        line++;
        length--;
    } else if (line[0] != '/')
        /* Relative to where some process was. */
        return 0;
    if (length == 0)
        return 0;
    socket->word = word_encode(line, length);
    return socket->word ? 1 : -ENOMEM;
}

struct inodes {
    unsigned long *list;
    size_t n;
};

static bool is_of_sandbox(const struct config_sandbox *sandbox, const char *pid)
{
    _cleanup_fclose_ FILE *file = NULL;
    char path[300], line[256];
    unsigned uid;

    /* A process that is not dumpable has files of root's. */
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Uid: %u", &uid) == 1)
            return uid == sandbox->uid || (uid >= sandbox->subids.start &&
                                           uid - sandbox->subids.start < sandbox->subids.count);
    return false;
}

static int add_inodes_of(const char *pid, struct inodes *inodes)
{
    _cleanup_closedir_ DIR *dir = NULL;
    const struct dirent *entry;
    char path[300];

    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        char target[64];
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        unsigned long inode, *list;

        target[n > 0 ? n : 0] = '\0';
        if (sscanf(target, "socket:[%lu]", &inode) != 1)
            continue;
        list = reallocarray(inodes->list, inodes->n + 1, sizeof *list);
        if (!list)
            return -ENOMEM;
        inodes->list = list;
        list[inodes->n++] = inode;
    }
    return 0;
}

/* Of all sockets that the sandbox's processes have open. */
static int find_own(const struct config_sandbox *sandbox, struct inodes *inodes)
{
    _cleanup_closedir_ DIR *proc = opendir("/proc");
    const struct dirent *entry;
    int r = 0;

    if (!proc)
        return -errno;
    while (r == 0 && (entry = readdir(proc)))
        if (isdigit((unsigned char)entry->d_name[0]) && is_of_sandbox(sandbox, entry->d_name))
            r = add_inodes_of(entry->d_name, inodes);
    return r;
}

static bool has_inode(const struct inodes *inodes, unsigned long inode)
{
    for (size_t i = 0; i < inodes->n; i++)
        if (inodes->list[i] == inode)
            return true;
    return false;
}

/* Names are as some process gave them to bind(2), perhaps in a view of its own. */
static bool is_there(const struct unix_socket *socket)
{
    char path[PATH_MAX];
    struct stat st;

    return word_decode(socket->word, path, sizeof path) > 0 && stat(path, &st) == 0 &&
           S_ISSOCK(st.st_mode);
}

static int compare(const void *a, const void *b)
{
    const struct unix_socket *x = a, *y = b;
    int r = strcmp(x->word, y->word);

    return r != 0 ? r : x->type - y->type;
}

/* What listens at a path decides there itself which type it is; an abstract name is another one for
 * each type, but one finding has to do. */
static void sort(struct unix_list *sockets)
{
    size_t n = 0;

    if (sockets->n > 0)
        qsort(sockets->list, sockets->n, sizeof *sockets->list, compare);
    for (size_t i = 0; i < sockets->n; i++)
        if (n > 0 && strcmp(sockets->list[i].word, sockets->list[n - 1].word) == 0)
            free(sockets->list[i].word);
        else
            sockets->list[n++] = sockets->list[i];
    sockets->n = n;
}

int unix_list_others(const struct config_sandbox *sandbox, bool abstract, struct unix_list *sockets)
{
    _cleanup_fclose_ FILE *file = fopen("/proc/net/unix", "re");
    _cleanup_free_ char *line = NULL;
    struct inodes own = {};
    size_t size = 0;
    int r = file ? find_own(sandbox, &own) : -errno;

    while (r >= 0 && getline(&line, &size, file) > 0) {
        struct unix_socket socket = {}, *list;

        r = unix_list_parse(line, &socket);
        if (r <= 0)
            continue;
        if (socket.is_abstract != abstract || has_inode(&own, socket.inode) ||
            (!abstract && !is_there(&socket))) {
            free(socket.word);
            continue;
        }
        list = reallocarray(sockets->list, sockets->n + 1, sizeof *list);
        if (!list) {
            free(socket.word);
            r = -ENOMEM;
            break;
        }
        sockets->list = list;
        list[sockets->n++] = socket;
    }
    free(own.list);
    sort(sockets);
    return r < 0 ? r : 0;
}

void unix_list_done(struct unix_list *sockets)
{
    for (size_t i = 0; i < sockets->n; i++)
        free(sockets->list[i].word);
    free(sockets->list);
    *sockets = (struct unix_list){};
}
