/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Unix sockets of others: those that are there, and canaries of root's that everybody may
 * connect to, so that nothing but the kernel's policy can refuse. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/unix-list.h"
#include "sandboxctl/probes/words.h"

#include "bpf/socket-defaults.h"
#include "conf/cleanup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Whether it is the allowed path, or below one that ends with '/'. */
static bool is_below(const char *allowed, const char *path)
{
    const size_t length = strlen(allowed);

    return strcmp(allowed, path) == 0 ||
           (length > 0 && allowed[length - 1] == '/' && strncmp(allowed, path, length) == 0);
}

static bool is_allowed(const struct probe_run *run, const char *word)
{
    char path[PATH_MAX];

    if (word_decode(word, path, sizeof path) <= 0)
        return false;
    for (size_t i = 0; i < n_socket_defaults; i++)
        if (is_below(socket_defaults[i].path, path))
            return true;
    for (char **allowed = run->sandbox->local.allow_sockets; *allowed; allowed++)
        if (is_below(*allowed, path))
            return true;
    return false;
}

/* Sockets of this very check come and go with its other probes. */
static bool is_ours(const struct probe_run *run, const char *word)
{
    return strstr(word, run->token);
}

/* One object: the attempt in the session, and what of it must work. */
static void try_socket(struct probe_run *run, const char *word, const struct call *own)
{
    const struct place sandbox = PLACE_SANDBOX(run), root = PLACE_ROOT;
    struct call tried[] = { CALL("connect", word) }, control[] = { CALL("find-socket", word) };

    place_run(run, &root, control, 1);
    place_run(run, &sandbox, tried, 1);
    run->object = word[0] == '@' ? word + 1 : word;
    place_judge(run, tried);
    place_judge_control(run, own->result != ATTEMPT_THROUGH ? own : control);
}

/* Root's, one of each type. What the sandbox must not, another user can. */
static void try_canaries(struct probe_run *run, const char *prefix, const struct call *own)
{
    const struct place sandbox = PLACE_SANDBOX(run), nobody = PLACE_NOBODY;
    struct call tried[CONNECT_TYPES], control[CONNECT_TYPES], *worst = NULL, *best = NULL;
    char words[CONNECT_TYPES][PATH_MAX];
    const char *argv[CONNECT_TYPES][3];
    int fds[CONNECT_TYPES], r = 0;

    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        connect_canary_word(words[i], sizeof words[i], prefix, i);
        fds[i] = connect_listen(words[i], connect_canary_type(i));
        if (fds[i] < 0)
            r = fds[i];
        argv[i][0] = "connect";
        argv[i][1] = words[i];
        argv[i][2] = NULL;
        tried[i] = control[i] = (struct call){ .argv = argv[i], .result = ATTEMPT_UNTRIED };
    }
    place_run(run, &sandbox, tried, CONNECT_TYPES);
    place_run(run, &nobody, control, CONNECT_TYPES);
    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        cleanup_closep(&fds[i]);
        if (words[i][0] == '/')
            unlink(words[i]);
        if (!worst || worst->result == ATTEMPT_REFUSED)
            worst = &tried[i];
        if (!best || best->result == ATTEMPT_THROUGH)
            best = &control[i];
    }

    run->object = "canary";
    if (r < 0)
        snprintf(best->text, sizeof best->text, "listening at %s-*: %s", prefix, strerror(-r));
    place_judge(run, worst);
    place_judge_control(run, own->result != ATTEMPT_THROUGH ? own : best);
}

static void try_all(struct probe_run *run, bool abstract, const char *canaries,
                    const char *own_name)
{
    const struct place sandbox = PLACE_SANDBOX(run);
    _cleanup_(unix_list_done) struct unix_list sockets = {};
    struct call own[] = { CALL("connect-own", own_name) };
    int r = unix_list_others(run->sandbox, abstract, &sockets);

    if (r < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: /proc/net/unix: %s", strerror(-r));
        probe_found_control(run, VERDICT_FAIL, "could not be tried: /proc/net/unix");
        return;
    }
    place_run(run, &sandbox, own, 1);
    if (probe_wants_object(run, "canary"))
        try_canaries(run, canaries, own);
    for (size_t i = 0; i < sockets.n; i++) {
        _cleanup_free_ char *word = NULL;

        if (is_ours(run, sockets.list[i].word) || !probe_wants_object(run, sockets.list[i].word) ||
            (!abstract && is_allowed(run, sockets.list[i].word)))
            continue;
        if (asprintf(&word, "%s%s", abstract ? "@" : "", sockets.list[i].word) < 0)
            abort();
        try_socket(run, word, own);
    }
    run->object = NULL;
    if (run->findings.n == 0)
        probe_skip(run, "this host has no such socket, or the sandbox may connect to it");
}

void probe_socket(struct probe_run *run)
{
    char canaries[PATH_MAX], own[PATH_MAX];

    if (kernel_policy_is_off(run, "sockets of the host are open to it as their modes say"))
        return;
    snprintf(canaries, sizeof canaries, "%s/socket", run->run_dir);
    snprintf(own, sizeof own, "/run/user/%u/pam-sandbox-check-%s", (unsigned)run->sandbox->uid,
             run->token);
    try_all(run, false, canaries, own);
}

void probe_abstract(struct probe_run *run)
{
    char canaries[64], own[64];

    if (kernel_policy_is_off(run, "abstract sockets are open to it as to any user"))
        return;
    snprintf(canaries, sizeof canaries, "@pam-sandbox-check-%s-host", run->token);
    snprintf(own, sizeof own, "@pam-sandbox-check-%s-own", run->token);
    try_all(run, true, canaries, own);
}
