/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/pins.h"
#include "bpf/policy-skeleton.h"
#include "bpf/trie.h"
#include "conf/cleanup.h"
#include "conf/paths.h"

/* More than there are programs in one mode. */
#define MAX_LINKS 16

struct programs {
    struct policy_bpf *object;
    struct bpf_link *links[MAX_LINKS];
    const char *names[MAX_LINKS]; /* the program's, without the prefix of its mode */
    size_t n_links;
};

void programs_free(struct programs *programs)
{
    if (!programs)
        return;
    for (size_t i = 0; i < programs->n_links; i++)
        bpf_link__destroy(programs->links[i]);
    policy_bpf__destroy(programs->object);
    free(programs);
}

/* Whom a program is about, if not everybody that the policy holds: each one that is attached costs
 * everybody who comes by. */
static const struct {
    const char *name;
    enum programs_about about;
} narrow_programs[] = {
    { "families", PROGRAMS_ABOUT_SANDBOXES },  { "groups", PROGRAMS_ABOUT_LOCKED },
    { "reads_core", PROGRAMS_ABOUT_READS },    { "reads_environment", PROGRAMS_ABOUT_READS },
    { "reads_traceme", PROGRAMS_ABOUT_READS }, { "world_write", PROGRAMS_ABOUT_SANDBOXES },
};

static bool is_wanted(const char *name, unsigned about)
{
    for (size_t i = 0; i < sizeof(narrow_programs) / sizeof(narrow_programs[0]); i++)
        if (strcmp(narrow_programs[i].name, name) == 0)
            return narrow_programs[i].about & about;
    return true;
}

/* The programs of the other mode stay out: the kernel may not even have what they attach to. */
static int choose(struct policy_bpf *object, enum policy_mode mode, unsigned about)
{
    const char *prefix = policy_mode_prefix(mode);
    struct bpf_program *program;

    bpf_object__for_each_program(program, object->obj)
    {
        const char *name = bpf_program__name(program);
        bool load =
            strncmp(name, prefix, strlen(prefix)) == 0 && is_wanted(name + strlen(prefix), about);
        int r = bpf_program__set_autoload(program, load);
        if (r < 0)
            return r;
    }
    return 0;
}

static int get_info(int fd, struct bpf_map_info *info)
{
    uint32_t size = sizeof(*info);

    memset(info, 0, sizeof(*info));
    return bpf_map_get_info_by_fd(fd, info, &size);
}

static bool is_laid_out_as(const struct bpf_map *map, const struct bpf_map_info *info)
{
    return info->type == bpf_map__type(map) && info->key_size == bpf_map__key_size(map) &&
           info->value_size == bpf_map__value_size(map) &&
           info->map_flags == bpf_map__map_flags(map);
}

static bool fits(const struct bpf_map *map, int pinned_fd)
{
    struct bpf_map_info info;

    return get_info(pinned_fd, &info) == 0 && is_laid_out_as(map, &info) &&
           info.max_entries == bpf_map__max_entries(map) &&
           strcmp(info.name, bpf_map__name(map)) == 0;
}

/* The tries in `policy`, each of another size, have to be laid out as the programs expect, too. */
static bool policy_fits(struct bpf_map *policy, int pinned_fd)
{
    struct bpf_map_info info;
    int trie;

    if (!fits(policy, pinned_fd))
        return false;
    int r = trie_in_force(pinned_fd, &trie);
    if (r < 0)
        return r == -ENOENT;
    _cleanup_close_ int fd = trie;
    return get_info(fd, &info) == 0 && is_laid_out_as(bpf_map__inner_map(policy), &info);
}

/* All or none: the log reads two of them, and they belong together. */
static int take_over(struct policy_bpf *object)
{
    struct bpf_map *const maps[] = { object->maps.policy, object->maps.denials,
                                     object->maps.denial_rates };
    int fds[] = { -1, -1, -1 }, r = 0;
    bool all = true;

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), PINS_DIR "/%s", bpf_map__name(maps[i]));
        fds[i] = bpf_obj_get(path);
        if (fds[i] < 0 && fds[i] != -ENOENT) {
            fprintf(stderr, "%s: cannot open: %s\n", path, strerror(-fds[i]));
            r = fds[i];
            break;
        }
        all = all && fds[i] >= 0;
    }
    if (r == 0 && all)
        all = policy_fits(maps[0], fds[0]) && fits(maps[1], fds[1]) && fits(maps[2], fds[2]);
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        if (r == 0 && all)
            r = bpf_map__reuse_fd(maps[i], fds[i]);
        if (fds[i] >= 0)
            close(fds[i]);
    }
    return r;
}

int programs_load(enum policy_mode mode, unsigned about, struct programs **ret)
{
    _cleanup_(programs_freep) struct programs *programs = calloc(1, sizeof(*programs));
    if (!programs)
        return -ENOMEM;
    programs->object = policy_bpf__open();
    if (!programs->object)
        return -errno;
    int r = choose(programs->object, mode, about);
    if (r < 0)
        return r;
    r = take_over(programs->object);
    if (r < 0)
        return r;
    r = policy_bpf__load(programs->object);
    if (r < 0)
        return r;
    *ret = steal_ptr(programs);
    return 0;
}

int programs_attach(struct programs *programs, const char **failed)
{
    struct bpf_program *program;

    bpf_object__for_each_program(program, programs->object->obj)
    {
        if (!bpf_program__autoload(program))
            continue;
        *failed = bpf_program__name(program);
        if (programs->n_links == MAX_LINKS)
            return -E2BIG;
        struct bpf_link *link = bpf_program__attach(program);
        if (!link)
            return -errno;
        programs->names[programs->n_links] = strchr(*failed, '_') + 1;
        programs->links[programs->n_links++] = link;
    }
    return 0;
}

int programs_pin(struct programs *programs)
{
    struct bpf_map *const maps[] = { programs->object->maps.policy, programs->object->maps.denials,
                                     programs->object->maps.denial_rates };

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        int r = pins_add_map(maps[i], bpf_map__name(maps[i]));
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < programs->n_links; i++) {
        char name[64];

        snprintf(name, sizeof(name), PINS_LINK_PREFIX "%s", programs->names[i]);
        int r = pins_add_link(programs->links[i], name);
        if (r < 0)
            return r;
    }
    return 0;
}

uint64_t programs_denied(const struct programs *programs, enum policy_program program)
{
    return __atomic_load_n(&programs->object->bss->denied[program], __ATOMIC_RELAXED);
}

int programs_policy_fd(const struct programs *programs)
{
    return bpf_map__fd(programs->object->maps.policy);
}
