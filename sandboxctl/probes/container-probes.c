/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of containers: how what was tried in them went, and whether it works elsewhere. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/container.h"
#include "sandboxctl/probes/egress.h"
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/view.h"

#include "conf/cleanup.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct call as_call(const struct container_result *result)
{
    struct call call = { .result = result->tried ? result->result : ATTEMPT_UNTRIED };

    snprintf(call.text, sizeof call.text, "%s",
             result->tried ? result->text : "no container was there to try it in");
    return call;
}

static bool containers_are_missing(struct probe_run *run)
{
    if (!run->containers->missing)
        return outside_is_missing(run);
    probe_skip(run, "%s", run->containers->missing);
    return true;
}

void probe_container_build(struct probe_run *run)
{
    if (containers_are_missing(run))
        return;
    const struct container_result *build = &run->containers->build,
                                  *read = &run->containers->rows[CONTAINER_READ];
    const struct call call = as_call(build->result != ATTEMPT_THROUGH ? build : read);

    place_judge_control(run, &call);
}

/* Another user must be answered. */
static struct call reach_as_nobody(struct probe_run *run, enum container_row row)
{
    char texts[TARGETS_MAX][INET6_ADDRSTRLEN];
    const struct place nobody = PLACE_NOBODY;
    struct target targets[TARGETS_MAX];
    struct target_calls calls;
    const size_t n = container_targets(run, row, false, targets, texts);

    target_calls_fill(&calls, targets, n);
    place_run(run, &nobody, calls.calls, n);
    return *target_best(calls.calls, n);
}

/* The sockets are made anew, as those that were tried are gone. */
static struct call connect_as_nobody(struct probe_run *run, enum container_row row)
{
    const struct place nobody = PLACE_NOBODY;
    struct call control = { .result = ATTEMPT_UNTRIED };

    for (size_t i = 0; i < CONNECT_TYPES; i++) {
        _cleanup_close_ int fd = -EBADF;
        char word[PATH_MAX];

        container_socket_word(run, row == CONTAINER_ABSTRACT, word, sizeof word, i);
        fd = connect_listen(word, connect_canary_type(i));
        struct call calls[] = { CALL("connect", word) };
        place_run(run, &nobody, calls, 1);
        control = *calls;
        control.argv = NULL;
        if (word[0] == '/')
            unlink(word);
        if (control.result != ATTEMPT_THROUGH)
            break;
    }
    return control;
}

static struct call write_as_other(struct probe_run *run, enum container_row row)
{
    const struct place root = PLACE_ROOT, nobody = PLACE_NOBODY;
    char in_run[PATH_MAX + 16], in_state[PATH_MAX + 16];

    snprintf(in_run, sizeof in_run, "%s/container", run->run_dir);
    snprintf(in_state, sizeof in_state, "%s/container", run->state_dir);
    struct call view[] = { CALL("write", run->canary_state) };
    struct call world[] = { CALL("world-write-all", in_run, in_state) };
    struct call *call = row == CONTAINER_VIEW ? view : world;

    place_run(run, row == CONTAINER_VIEW ? &root : &nobody, call, 1);
    call->argv = NULL;
    return *call;
}

static const struct {
    const char *name;
    enum container_row row;
    struct call (*control)(struct probe_run *run, enum container_row row);
} probed[] = {
    { "container-tcp", CONTAINER_TCP, reach_as_nobody },
    { "container-direct", CONTAINER_DIRECT, reach_as_nobody },
    { "container-udp", CONTAINER_UDP, reach_as_nobody },
    { "container-ipv6", CONTAINER_IPV6, reach_as_nobody },
    { "container-dns", CONTAINER_DNS, reach_as_nobody },
    { "container-metadata4", CONTAINER_METADATA4, reach_as_nobody },
    { "container-metadata6", CONTAINER_METADATA6, reach_as_nobody },
    { "container-wireserver", CONTAINER_WIRESERVER, reach_as_nobody },
    { "container-socket", CONTAINER_SOCKET, connect_as_nobody },
    { "container-abstract", CONTAINER_ABSTRACT, connect_as_nobody },
    { "container-view", CONTAINER_VIEW, write_as_other },
    { "container-world-write", CONTAINER_WORLD_WRITE, write_as_other },
};

/* Then it is skipped, and says why. */
static bool is_open(struct probe_run *run, enum container_row row)
{
    switch (row) {
    case CONTAINER_METADATA4:
    case CONTAINER_WIRESERVER:
        return metadata_is_open(run);
    case CONTAINER_METADATA6:
        return metadata_is_open(run) || ipv6_is_missing(run);
    case CONTAINER_IPV6:
        return egress_is_off(run) || ipv6_is_missing(run);
    case CONTAINER_DIRECT:
    case CONTAINER_UDP:
    case CONTAINER_DNS:
        return egress_is_off(run);
    case CONTAINER_SOCKET:
    case CONTAINER_ABSTRACT:
    case CONTAINER_WORLD_WRITE:
        return kernel_policy_is_off(run, "it is open to containers as to any user");
    case CONTAINER_VIEW:
        return view_is_off(run);
    default:
        return false;
    }
}

void probe_container(struct probe_run *run)
{
    size_t i = 0;

    while (strcmp(probed[i].name, run->probe->name) != 0)
        i++;
    if (containers_are_missing(run) || is_open(run, probed[i].row))
        return;
    const struct call tried = as_call(&run->containers->rows[probed[i].row]),
                      read = as_call(&run->containers->rows[CONTAINER_READ]);
    place_judge(run, &tried);
    if (read.result != ATTEMPT_THROUGH) {
        place_judge_control(run, &read);
        return;
    }
    const struct call control = probed[i].control(run, probed[i].row);
    place_judge_control(run, &control);
}
