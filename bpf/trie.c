/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/trie.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "conf/cleanup.h"

static const uint32_t first = 0;

int trie_make(const struct policy_list *list, int *ret_fd)
{
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);

    _cleanup_close_ int fd =
        bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "policy_trie", sizeof(struct policy_key),
                       sizeof(struct policy_value), (uint32_t)list->n, &options);
    if (fd < 0)
        return fd;
    for (size_t i = 0; i < list->n; i++) {
        int r = bpf_map_update_elem(fd, &list->entries[i].key, &list->entries[i].value, BPF_ANY);
        if (r < 0)
            return r;
    }
    int r = bpf_map_freeze(fd);
    if (r < 0)
        return r;
    *ret_fd = steal_fd(&fd);
    return 0;
}

int trie_in_force(int policy_fd, int *ret_fd)
{
    uint32_t id;

    int r = bpf_map_lookup_elem(policy_fd, &first, &id);
    if (r < 0)
        return r;
    int fd = bpf_map_get_fd_by_id(id);
    if (fd < 0)
        return fd;
    *ret_fd = fd;
    return 0;
}

/* The kernel waits for the programs that run: maybe_wait_bpf_programs(). */
int trie_put(int policy_fd, int trie_fd)
{
    return bpf_map_update_elem(policy_fd, &first, &trie_fd, BPF_ANY);
}
