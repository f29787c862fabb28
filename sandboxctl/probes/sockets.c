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

/* Of those that are wanted and not allowed to it, the words as attempts take them. */
static char **choose(struct probe_run *run, bool abstract, const struct unix_list *sockets,
                     size_t *n)
{
    char **words = calloc(sockets->n + 1, sizeof *words);

    if (!words)
        abort();
    *n = 0;
    for (size_t i = 0; i < sockets->n; i++) {
        const char *word = sockets->list[i].word;

        if (is_ours(run, word) || !probe_wants_object(run, word) ||
            (!abstract && is_allowed(run, word)))
            continue;
        if (asprintf(&words[*n], "%s%s", abstract ? "@" : "", word) < 0)
            abort();
        (*n)++;
    }
    return words;
}

/* One object: how the attempt in the session went, and what of it must work. */
static void judge(struct probe_run *run, const char *word, const struct call *tried,
                  const struct call *own)
{
    const int r = connect_find(word);

    /* Sockets come and go. */
    if (r == -ENOENT || r == -ECONNREFUSED)
        return;
    run->object = word[0] == '@' ? word + 1 : word;
    place_judge(run, tried);
    if (own->result != ATTEMPT_THROUGH)
        place_judge_control(run, own);
    else if (r < 0)
        probe_found_control(run, VERDICT_FAIL,
                            "refused where it must work: root looking for %s: %s", word,
                            strerror(-r));
    else
        probe_found_control(run, VERDICT_OK, "%s: found by root", word);
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
    _cleanup_free_ struct call *tried = NULL;
    _cleanup_strv_ char **words = NULL;
    struct call own[] = { CALL("connect-own", own_name) };
    size_t n;
    int r = unix_list_others(run->sandbox, abstract, &sockets);

    if (r < 0) {
        probe_found(run, VERDICT_FAIL, "could not be tried: /proc/net/unix: %s", strerror(-r));
        probe_found_control(run, VERDICT_FAIL, "could not be tried: /proc/net/unix");
        return;
    }
    place_run(run, &sandbox, own, 1);
    if (probe_wants_object(run, "canary"))
        try_canaries(run, canaries, own);
    words = choose(run, abstract, &sockets, &n);
    tried = place_run_each(run, &sandbox, "connect", words, n);
    for (size_t i = 0; i < n; i++)
        judge(run, words[i], &tried[i], own);
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
