/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* lsm: loads the kernel policy, or takes it away. Loading ends with the new policy in force or with
 * everything as it was; in between both are attached, and neither allows what the other denies. */

#include <bpf/libbpf.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bpf/denial-rules.h"
#include "bpf/lock-facts.h"
#include "bpf/pins.h"
#include "bpf/place.h"
#include "bpf/policy-make.h"
#include "bpf/preempt.h"
#include "bpf/programs.h"
#include "bpf/proof.h"
#include "bpf/set-id-programs.h"
#include "bpf/trie.h"
#include "conf/cleanup.h"
#include "conf/config.h"
#include "conf/paths.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The log takes denials out of their ring buffer, which is writing to it. */
static const char *const loader_programs[] = { PKGLIBEXECDIR "/lsm", PKGLIBEXECDIR "/denials" };

static int fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, ": %s\n", strerror(-error));
    return error;
}

static void report_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s:%u: %s\n", file, line, message);
}

static void report_proof(const char *problem, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s\n", problem);
}

/* A program that is not installed gives nobody privilege, nor does it write maps. */
static int find_places(const char *const *paths, size_t n, struct policy_file *places,
                       size_t *n_places)
{
    *n_places = 0;
    for (size_t i = 0; i < n; i++) {
        int r = place_find(paths[i], &places[*n_places]);
        if (r == -ENOENT)
            continue;
        if (r < 0)
            return fail(r, "%s: cannot find out where it stands", paths[i]);
        ++*n_places;
    }
    return 0;
}

static int make_trie(const struct config *config, const struct policy_lock *lock, int *ret_fd)
{
    struct policy_file set_id[N_SET_ID_PROGRAMS], loaders[COUNT(loader_programs)];
    struct policy_files files = { .set_id = set_id, .loaders = loaders };
    struct policy_list list;

    int r = find_places(set_id_programs, N_SET_ID_PROGRAMS, set_id, &files.n_set_id);
    if (r < 0)
        return r;
    r = find_places(loader_programs, COUNT(loader_programs), loaders, &files.n_loaders);
    if (r < 0)
        return r;
    r = policy_make(config, &files, lock, &list);
    if (r < 0)
        return fail(r, "%s: cannot make a policy of it", SNAPSHOT_FILE);
    r = trie_make(&list, ret_fd);
    policy_list_done(&list);
    return r < 0 ? fail(r, "cannot make the map of the policy") : 0;
}

/* Programs of an earlier load are still attached, and may have refused in place of the new ones.
 * But the kernel asks those first that came last (bpf_trampoline_link_prog() in
 * kernel/bpf/trampoline.c), and none after one that refuses: all refusals are counted by ours. */
static int check_denied(const struct proof_subject *subject, const struct programs *programs)
{
    int r = 0;

    for (enum policy_program program = 0; program < N_PROGRAMS; program++) {
        const char *name = denial_rules[program].program;
        size_t n = proof_refusals(subject, name);
        uint64_t denied = programs_denied(programs, program);

        if (denied >= n)
            continue;
        fprintf(stderr,
                "%s: %zu refusals were seen, of which the new program made %" PRIu64
                "; the others are an earlier one's\n",
                name, n, denied);
        r = -EPERM;
    }
    return r;
}

static int prove(const struct config *config, const struct lock_facts *facts,
                 const struct programs *programs)
{
    const struct config_sandbox *sandbox = config->n_sandboxes > 0 ? &config->sandboxes[0] : NULL;
    const struct proof_subject subject = {
        .uid = sandbox ? sandbox->uid : 0,
        .gid = sandbox ? sandbox->uid : 0,
        .locked_uid = facts->lock.uid,
        .locked_gid = facts->gid,
        .deny_reads = config->host.deny_reads,
        .map = programs_policy_fd(programs),
    };
    int r = sandbox || facts->lock.uid != 0 ? proof_run(&subject, report_proof, NULL) : 0;

    return r < 0 ? r : check_denied(&subject, programs);
}

static int pin(struct programs *programs)
{
    int r = pins_begin();
    if (r >= 0)
        r = programs_pin(programs);
    if (r >= 0)
        r = pins_commit();
    if (r < 0) {
        fail(r, PINS_DIR ": cannot be exchanged for the new policy");
        pins_abandon();
    }
    return r;
}

/* With the programs attached: the policy, its proof, and the pins. */
static int put_in_force(struct programs *programs, const struct config *config)
{
    _cleanup_(lock_facts_done) struct lock_facts facts = { 0 };
    int policy_fd = programs_policy_fd(programs), fd;
    const char *what;

    int r = lock_facts_read(config, &facts, &what);
    if (r < 0)
        return fail(r, "%s: cannot read what is to be known of \"%s\"", what,
                    config->host.lock_user);
    r = make_trie(config, &facts.lock, &fd);
    if (r < 0)
        return r;
    _cleanup_close_ int trie = fd;
    r = trie_in_force(policy_fd, &fd);
    if (r < 0 && r != -ENOENT)
        return fail(r, "cannot open the policy that is in force");
    _cleanup_close_ int before = r < 0 ? -1 : fd;

    r = trie_put(policy_fd, trie);
    if (r < 0)
        return fail(r, "cannot put the policy in force");
    r = prove(config, &facts, programs);
    if (r >= 0)
        r = pin(programs);
    if (r < 0 && before >= 0 && trie_put(policy_fd, before) < 0)
        fputs("and cannot put the policy that was in force back\n", stderr);
    return r;
}

static int check_preemption(enum policy_mode mode)
{
    int r = preempt_may_skip(mode);

    if (r < 0)
        return fail(r, "cannot find out how the kernel preempts itself");
    if (r == 0)
        return 0;
    fprintf(stderr,
            "the kernel preempts itself, or does not say that it does not, and can then be raced "
            "past a program: boot it with preempt=voluntary%s\n",
            mode == MODE_FMOD_RET ? ", or with \"bpf\" among lsm=" : "");
    return -EOPNOTSUPP;
}

static unsigned held(const struct config *config)
{
    unsigned about = config->n_sandboxes > 0 ? PROGRAMS_ABOUT_SANDBOXES : 0;

    if (config->host.lock_user)
        about |= PROGRAMS_ABOUT_LOCKED | (config->host.deny_reads ? PROGRAMS_ABOUT_READS : 0);
    return about;
}

static int load(const struct config *config)
{
    _cleanup_(programs_freep) struct programs *programs = NULL;
    enum policy_mode mode;
    const char *failed;
    int fd;

    int r = policy_mode_detect(&mode);
    if (r == -ENOENT) {
        fputs(LSM_LIST_FILE ": is not there; securityfs has to be mounted, as systemd does at "
                            "boot\n",
              stderr);
        return r;
    }
    if (r < 0)
        return fail(r, LSM_LIST_FILE ": cannot read");
    r = check_preemption(mode);
    if (r < 0)
        return r;

    r = pins_lock(&fd);
    if (r == -ENOTSUP) {
        fputs(BPFFS_DIR ": there is no bpffs, which systemd mounts at boot on kernels with "
                        "BPF\n",
              stderr);
        return r;
    }
    if (r < 0)
        return fail(r, BPFFS_DIR ": cannot lock");
    _cleanup_close_ int lock = fd;

    r = programs_load(mode, held(config), &programs);
    if (r < 0)
        return fail(r, "the kernel does not take the programs%s",
                    mode == MODE_LSM ? "" : ", nor is \"bpf\" in its list of LSMs");
    r = programs_attach(programs, &failed);
    if (r < 0)
        return fail(r, "the kernel does not attach %s", failed);
    return put_in_force(programs, config);
}

/* Everything that can fail says itself what it was; what is said here stands behind it. */
static int verb_load(void)
{
    _cleanup_(config_freep) struct config *config = NULL;

    int r = config_load_snapshot("", report_problem, NULL, &config);
    if (r < 0) {
        if (r == -ENOENT)
            fputs(SNAPSHOT_FILE ": nothing is in force; `sandboxctl apply` puts the configuration "
                                "in force\n",
                  stderr);
        else
            fail(r, SNAPSHOT_FILE ": cannot read");
        return 1;
    }
    if (load(config) >= 0)
        return 0;
    fputs(
        "The kernel policy was not loaded; if one was attached before, it still is. On a kernel "
        "that cannot have it, host.kernel-policy = false lets sandboxes do without; they can then "
        "write what everybody may write, run set-id programs and connect to every socket that "
        "its mode leaves open. See pam-sandbox-lsm(8).\n",
        stderr);
    return 1;
}

static int verb_unload(void)
{
    int fd, r = pins_lock(&fd);

    /* Without a bpffs nothing is pinned. */
    if (r == -ENOTSUP)
        return 0;
    if (r < 0) {
        fail(r, BPFFS_DIR ": cannot lock");
        return 1;
    }
    _cleanup_close_ int lock = fd;
    r = pins_remove();
    if (r < 0) {
        fail(r, PINS_DIR ": cannot be removed");
        return 1;
    }
    return 0;
}

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list arguments)
{
    return level == LIBBPF_WARN ? vfprintf(stderr, format, arguments) : 0;
}

static void help(FILE *out)
{
    fputs("lsm load\n"
          "lsm unload\n"
          "\n"
          "Loads the BPF programs that hold sandbox users in the kernel, with the policy of\n"
          "the snapshot, or takes them away. Started by pam-sandbox-lsm.service; see\n"
          "pam-sandbox-lsm(8).\n"
          "\n"
          "  --help      show this text\n"
          "  --version   show the version\n",
          out);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { 0 },
    };
    int option;

    proof_helper(argc, argv);
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (option) {
        case 'h':
            help(stdout);
            return 0;
        case 'v':
            puts("pam-sandbox " PACKAGE_VERSION);
            return 0;
        default:
            return 2;
        }
    libbpf_set_print(print_libbpf);
    if (argc - optind == 1 && strcmp(argv[optind], "load") == 0)
        return verb_load();
    if (argc - optind == 1 && strcmp(argv[optind], "unload") == 0)
        return verb_unload();
    help(stderr);
    return 2;
}
