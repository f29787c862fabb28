/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/load.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "firewall/proof.h"
#include "firewall/transaction.h"
#include "lock/user.h"

static void print_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s:%u: %s\n", file, line, message);
}

/* RULESET_NO_UID: there is no such user. */
static int find_uid(const char *name, uid_t *ret)
{
    struct passwd *entry;

    errno = 0;
    entry = getpwnam(name);
    *ret = entry ? entry->pw_uid : RULESET_NO_UID;
    /* getpwnam(3) lists what some modules answer for "no such user". */
    if (entry || errno == 0 || errno == ENOENT || errno == ESRCH)
        return 0;
    fprintf(stderr, "cannot look up user \"%s\": %s\n", name, strerror(errno));
    return -errno;
}

static int find_locked(struct loaded *loaded)
{
    _cleanup_(lock_user_done) struct lock_user user = { 0 };
    int r = lock_user_in_force(&user);

    if (r > 0)
        r = lock_user_ranges(&user, LOCK_SUBUIDS, &loaded->lock_ids, &loaded->input.n_lock_ids);
    else if (r == 0)
        r = -ENOENT;
    if (r < 0) {
        fprintf(stderr, "cannot find out who is locked, from " LOCK_USER_FILE ": %s\n",
                strerror(-r));
        return r;
    }
    loaded->input.lock_uid = user.uid;
    loaded->input.lock_ids = loaded->lock_ids;
    return 0;
}

int load_read(struct loaded *loaded)
{
    struct ruleset_input *input = &loaded->input;
    const struct config *config;
    int r;

    *loaded = (struct loaded){ 0 };
    r = config_load_snapshot("", print_problem, NULL, &loaded->config);
    if (r < 0) {
        fprintf(stderr, "cannot read what is in force, %s: %s\n", SNAPSHOT_FILE, strerror(-r));
        return r;
    }
    config = input->config = loaded->config;
    input->lock_uid = RULESET_NO_UID;
    r = find_uid(EGRESS_USER, &input->proxy_uid);
    if (r == 0 && config->host.lock_user)
        r = find_locked(loaded);
    if (r < 0)
        return r;
    input->resolvers = loaded->resolvers;
    input->n_resolvers = resolvers_read(loaded->resolvers);
    loaded->slices = calloc(config->n_sandboxes + 1, sizeof *loaded->slices);
    loaded->inodes = calloc(config->n_sandboxes + 1, sizeof *loaded->inodes);
    if (!loaded->slices || !loaded->inodes)
        return -ENOMEM;
    input->slices = loaded->slices;
    (void)load_look_for_slices(loaded);
    return 0;
}

void loaded_free(struct loaded *loaded)
{
    config_free(loaded->config);
    free(loaded->lock_ids);
    free(loaded->slices);
    free(loaded->inodes);
    *loaded = (struct loaded){ 0 };
}

bool load_look_for_slices(struct loaded *loaded)
{
    bool changed = false;

    for (size_t i = 0; i < loaded->config->n_sandboxes; i++) {
        char path[sizeof CGROUP_ROOT + 1 + RULESET_SLICE_SIZE] = CGROUP_ROOT "/";
        struct stat st;
        unsigned long inode;

        ruleset_slice(&loaded->config->sandboxes[i], path + sizeof CGROUP_ROOT);
        inode = stat(path, &st) == 0 ? st.st_ino : 0;
        changed |= inode != loaded->inodes[i];
        loaded->inodes[i] = inode;
        loaded->slices[i] = inode != 0;
    }
    return changed;
}

static int run(int (*write)(const struct ruleset_input *input, FILE *out),
               const struct ruleset_input *input, char **error)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int r;

    if (!out)
        return -ENOMEM;
    r = write(input, out);
    if (fclose(out) != 0 && r == 0)
        r = -ENOMEM;
    return r < 0 ? r : transaction_run(text, error);
}

/* A control group that went between the look and the transaction makes that fail. */
static int run_with_slices(int (*write)(const struct ruleset_input *input, FILE *out),
                           struct loaded *loaded)
{
    int r = -EIO;

    for (int tries = 0; tries < 3 && r == -EIO; tries++) {
        _cleanup_free_ char *error = NULL;

        r = run(write, &loaded->input, &error);
        if (r < 0 && (tries == 2 || !load_look_for_slices(loaded))) {
            fprintf(stderr,
                    "nftables does not take the table " RULESET_FAMILY " " RULESET_TABLE ": %s\n",
                    error ? error : strerror(-r));
            return r;
        }
    }
    return r;
}

int load_table(struct loaded *loaded)
{
    return run_with_slices(ruleset_write, loaded);
}

int load_slices(struct loaded *loaded)
{
    return run_with_slices(ruleset_write_slices, loaded);
}

static int write_removal(const struct ruleset_input *input, FILE *out)
{
    (void)input;
    return ruleset_write_removal(out);
}

int load_remove(void)
{
    _cleanup_free_ char *error = NULL;
    int r = run(write_removal, NULL, &error);

    if (r < 0)
        fprintf(stderr,
                "nftables does not remove the table " RULESET_FAMILY " " RULESET_TABLE ": %s\n",
                error ? error : strerror(-r));
    return r;
}

static void print_finding(const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "The firewall does not hold: %s\n", message);
}

int load_prove(const struct loaded *loaded)
{
    return proof_run(&loaded->input, print_finding, NULL);
}
