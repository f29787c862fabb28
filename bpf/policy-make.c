/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/policy-make.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/lock-sockets.h"
#include "bpf/socket-defaults.h"

void policy_list_done(struct policy_list *list)
{
    free(list->entries);
    *list = (struct policy_list){ 0 };
}

/* A new entry, all 0 but for what is given; NULL when there is no memory. */
static struct policy_entry *add(struct policy_list *list, enum policy_kind kind, uint32_t id,
                                uint32_t prefix)
{
    /* Doubled whenever it has filled a power of two. */
    if ((list->n & (list->n - 1)) == 0) {
        size_t size = list->n > 0 ? list->n * 2 : 1;
        struct policy_entry *entries = reallocarray(list->entries, size, sizeof(*entries));
        if (!entries)
            return NULL;
        list->entries = entries;
    }
    struct policy_entry *entry = &list->entries[list->n++];
    memset(entry, 0, sizeof(*entry));
    entry->key.prefix = prefix;
    entry->key.kind = kind;
    entry->key.id = htonl(id);
    return entry;
}

/* A range is as many prefixes as it takes: at each step the largest block that begins where the
 * range does and is no longer than it, 62 at most. */
static int add_ids(struct policy_list *list, struct policy_value value, uint64_t start,
                   uint64_t count)
{
    uint64_t end = start + count;

    if (end > (uint64_t)UINT32_MAX + 1)
        return -ERANGE;
    while (start < end) {
        unsigned bits = 32;
        uint64_t size = 1;

        while (bits > 0 && (start & size) == 0 && size * 2 <= end - start) {
            size *= 2;
            bits--;
        }
        struct policy_entry *entry = add(list, POLICY_ID, (uint32_t)start, POLICY_ID_PREFIX(bits));
        if (!entry)
            return -ENOMEM;
        entry->value = value;
        start += size;
    }
    return 0;
}

/* What ends in '/' is a directory, of which so many bytes count; else the NUL counts too, so that
 * the names that begin with this one are others. */
static int add_socket(struct policy_list *list, uint32_t sandbox, const char *path)
{
    size_t length = strlen(path);

    if (length == 0 || length > POLICY_PATH_SIZE)
        return -ENAMETOOLONG;
    bool is_directory = path[length - 1] == '/';
    struct policy_entry *entry =
        add(list, POLICY_SOCKET, sandbox, (uint32_t)POLICY_PREFIX(length + (is_directory ? 0 : 1)));
    if (!entry)
        return -ENOMEM;
    memcpy(entry->key.path, path, length);
    return 0;
}

static int add_files(struct policy_list *list, enum policy_kind kind, uint32_t id,
                     const struct policy_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct policy_entry *entry = add(list, kind, id, POLICY_KEY_BITS);
        if (!entry)
            return -ENOMEM;
        entry->key.file = files[i];
    }
    return 0;
}

static int add_sandbox(struct policy_list *list, const struct config_sandbox *sandbox)
{
    const struct policy_value value = { .sandbox = sandbox->uid };
    int r = add_ids(list, value, sandbox->uid, 1);
    if (r < 0)
        return r;
    r = add_ids(list, value, sandbox->subids.start, sandbox->subids.count);
    if (r < 0)
        return r;
    for (char **path = sandbox->local.allow_sockets; *path; path++) {
        r = add_socket(list, sandbox->uid, *path);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_groups(struct policy_list *list, const struct policy_lock *lock)
{
    for (size_t i = 0; i < lock->n_groups; i++)
        if (!add(list, POLICY_GROUP, lock->groups[i], POLICY_KEY_BITS))
            return -ENOMEM;
    return 0;
}

static int add_reader(struct policy_list *list, const struct policy_lock *lock)
{
    struct policy_entry *entry;

    if (lock->reader == 0)
        return 0;
    entry = add(list, POLICY_READER, (uint32_t)lock->reader, POLICY_KEY_BITS);
    if (!entry)
        return -ENOMEM;
    entry->key.started = lock->reader_started;
    return 0;
}

static int add_lock(struct policy_list *list, const struct config *config,
                    const struct policy_lock *lock)
{
    const struct policy_value value = { .locked = lock->uid,
                                        .deny_reads = config->host.deny_reads };
    int r = add_ids(list, value, lock->uid, 1);

    for (size_t i = 0; i < lock->n_ids && r == 0; i++)
        r = add_ids(list, value, lock->ids[i].start, lock->ids[i].count);
    for (size_t i = 0; i < n_lock_sockets && r == 0; i++)
        r = add_socket(list, lock->uid, lock_sockets[i].path);
    if (r == 0)
        r = add_files(list, POLICY_SET_ID, lock->uid, lock->set_id, lock->n_set_id);
    if (r == 0)
        r = add_groups(list, lock);
    return r < 0 ? r : add_reader(list, lock);
}

static int fill(struct policy_list *list, const struct config *config,
                const struct policy_files *files, const struct policy_lock *lock)
{
    int r = add_files(list, POLICY_SET_ID, 0, files->set_id, files->n_set_id);
    if (r < 0)
        return r;
    r = add_files(list, POLICY_LOADER, 0, files->loaders, files->n_loaders);
    if (r < 0)
        return r;
    for (size_t i = 0; i < n_socket_defaults; i++) {
        r = add_socket(list, 0, socket_defaults[i].path);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        r = add_sandbox(list, &config->sandboxes[i]);
        if (r < 0)
            return r;
    }
    return lock->uid != 0 ? add_lock(list, config, lock) : 0;
}

int policy_make(const struct config *config, const struct policy_files *files,
                const struct policy_lock *lock, struct policy_list *ret)
{
    struct policy_list list = { 0 };
    int r = fill(&list, config, files, lock);

    if (r < 0) {
        policy_list_done(&list);
        return r;
    }
    *ret = list;
    return 0;
}
