/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bpf/proof-step.h"

static uid_t uid_of(const struct proof_step *step, const struct proof_subject *subject)
{
    switch (step->who) {
    case PROOF_SANDBOX:
        return subject->uid;
    case PROOF_LOCKED:
        return subject->locked_uid;
    case PROOF_OTHER:
        return PROOF_OTHER_ID;
    default:
        return 0;
    }
}

static enum proof_verdict judge_result(const struct proof_step *step, uid_t uid, int result,
                                       char *line, size_t size)
{
    const char *program = step->program, *what = step->what;

    if (result == -step->refusal)
        return PROOF_HOLDS;
    if (step->refusal == 0) {
        snprintf(line, size, "%s: control failed: uid %u could not %s: %s", program, uid, what,
                 strerror(-result));
        return PROOF_CONTROL_FAILED;
    }
    if (result == 0) {
        snprintf(line, size, "%s: got through: uid %u could %s", program, uid, what);
        return PROOF_GOT_THROUGH;
    }

    snprintf(line, size, "%s: says nothing: uid %u could not %s, but not because of the policy: %s",
             program, uid, what, strerror(-result));
    return PROOF_SAYS_NOTHING;
}

enum proof_verdict proof_judge(const struct proof_step *step, const struct proof_subject *subject,
                               const struct proof_outcome *outcome, char *line, size_t size)
{
    const char *program = step->program, *what = step->what;
    uid_t uid = uid_of(step, subject);

    switch (outcome->end) {
    case PROOF_RESULT:
        return judge_result(step, uid, outcome->value, line, size);
    case PROOF_KILLED:
        snprintf(line, size, "%s: interrupted: uid %u was to %s, and was ended by signal %d (%s)",
                 program, uid, what, outcome->value, strsignal(outcome->value));
        return PROOF_INTERRUPTED;
    case PROOF_STUCK:
        snprintf(line, size, "%s: interrupted: uid %u was to %s, and was not done in %d seconds",
                 program, uid, what, PROOF_STEP_SEC);
        return PROOF_INTERRUPTED;
    default:
        snprintf(line, size, "%s: says nothing: no process with uid %u that could %s: %s", program,
                 uid, what, strerror(-outcome->value));
        return PROOF_SAYS_NOTHING;
    }
}

/* The first whose bits are all there. */
static const struct {
    unsigned verdicts;
    const char *text;
} advice[] = {
    { PROOF_GOT_THROUGH | PROOF_ALL_GOT_THROUGH,
      "Nothing was denied at all. Either the programs are attached and the kernel does not ask "
      "them, which it does only if \"bpf\" is in /sys/kernel/security/lsm (the kernel argument "
      "lsm= sets that list), or the policy that was loaded does not have this user." },
    { PROOF_GOT_THROUGH,
      "The other programs deny, so this kernel does something else at that place than the program "
      "expects. Boot another kernel, and report this one's version." },
    { PROOF_INTERRUPTED,
      "A process of the sandbox can end one that has its user id: end its sessions with "
      "\"sandboxctl reap\" and try again." },
    { PROOF_CONTROL_FAILED,
      "What must work does not: the policy denies too much, another security module or seccomp "
      "filter refuses as well, or this was started with no_new_privs or without the capabilities "
      "that it needs; pam-sandbox-lsm(8) lists them." },
    { PROOF_SAYS_NOTHING,
      "Something else refuses before the policy is asked: another security module, a seccomp "
      "filter, or capabilities that this was started without; pam-sandbox-lsm(8) lists them." },
};

const char *proof_advice(unsigned verdicts)
{
    size_t i = 0;

    while ((verdicts & advice[i].verdicts) != advice[i].verdicts)
        i++;
    return advice[i].text;
}
