/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/users-group.h"

#include "conf/root.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct group_id *)a)->name, ((const struct group_id *)b)->name);
}

static int groups_add(struct groups *groups, const struct group *entry)
{
    struct group_id *grown = reallocarray(groups->items, groups->n + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    groups->items = grown;
    grown[groups->n] = (struct group_id){ .name = strdup(entry->gr_name), .gid = entry->gr_gid };
    if (!grown[groups->n].name)
        return -ENOMEM;
    groups->n++;
    return 0;
}

static int read_all(struct groups *groups, int root)
{
    _cleanup_close_ int fd = root_open_at(root, "/etc/group", O_RDONLY | O_NOCTTY, 0);
    if (fd < 0)
        return fd;
    _cleanup_fclose_ FILE *stream = fdopen(fd, "r");
    if (!stream)
        return -errno;
    steal_fd(&fd);

    const struct group *entry;
    for (errno = 0; (entry = fgetgrent(stream)); errno = 0) {
        int r = groups_add(groups, entry);
        if (r < 0)
            return r;
    }
    return ferror(stream) ? -EIO : errno == ENOMEM ? -ENOMEM : 0;
}

int groups_read(struct groups *groups, int root, const struct report *report)
{
    *groups = (struct groups){ 0 };
    int r = read_all(groups, root);
    if (r < 0)
        report_errno(report, r, "cannot read /etc/group");
    else if (groups->n > 0)
        qsort(groups->items, groups->n, sizeof *groups->items, compare);
    return r;
}

void groups_done(struct groups *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        free(groups->items[i].name);
    free(groups->items);
}

const struct group_id *groups_find(const struct groups *groups, const char *name)
{
    const struct group_id key = { .name = (char *)name };
    return groups->n > 0 ? bsearch(&key, groups->items, groups->n, sizeof key, compare) : NULL;
}
