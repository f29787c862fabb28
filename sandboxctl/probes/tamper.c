/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel policy itself. Nothing is taken from it even where an attempt gets through: a pin that
 * is unlinked would be gone, so it is tried whether something can be made beside it. */
#include "sandboxctl/probes/kernel.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"
#include "conf/paths.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MAP_PIN PINS_DIR "/policy"

static int call_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    long fd = syscall(SYS_bpf, command, attr, sizeof *attr);

    return fd < 0 ? -errno : (int)fd;
}

static int open_pin(const char *path, bool for_reading)
{
    union bpf_attr attr = {
        .pathname = (uintptr_t)path,
        .file_flags = for_reading ? BPF_F_RDONLY : 0,
    };

    return call_bpf(BPF_OBJ_GET, &attr);
}

static int open_map(uint32_t id)
{
    union bpf_attr attr = { .map_id = id };

    return call_bpf(BPF_MAP_GET_FD_BY_ID, &attr);
}

static int make_map(void)
{
    union bpf_attr attr = {
        .map_type = BPF_MAP_TYPE_ARRAY,
        .key_size = 4,
        .value_size = 4,
        .max_entries = 1,
    };

    return call_bpf(BPF_MAP_CREATE, &attr);
}

static int load_program(void)
{
    static const char license[] = "GPL";
    /* r0 = 0; exit */
    const struct bpf_insn instructions[] = {
        { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
        { .code = BPF_JMP | BPF_EXIT },
    };
    union bpf_attr attr = {
        .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
        .insns = (uintptr_t)instructions,
        .insn_cnt = sizeof instructions / sizeof *instructions,
        .license = (uintptr_t)license,
    };

    return call_bpf(BPF_PROG_LOAD, &attr);
}

static bool is_refusal(int r)
{
    return r == -EPERM || r == -EACCES || r == -ENOENT || r == -EROFS;
}

static enum attempt_result say_tamper(const char *what, int r)
{
    if (r >= 0)
        return attempt_say(ATTEMPT_THROUGH, "%s: done", what);
    return attempt_say(is_refusal(r) ? ATTEMPT_REFUSED : ATTEMPT_UNTRIED, "%s: %s", what,
                       strerror(-r));
}

/* tamper MAP-PIN MAP-ID: gets through when bpf(2) does anything for it. */
enum attempt_result attempt_tamper(int argc, char **argv)
{
    if (argc != 3)
        return attempt_say(ATTEMPT_UNTRIED, "no policy to tamper with");

    const struct {
        const char *what;
        int r;
    } tried[] = {
        { "opening a map by its pin", open_pin(argv[1], false) },
        { "opening a map by its pin, for reading", open_pin(argv[1], true) },
        { "opening a map by its number", open_map((uint32_t)strtoul(argv[2], NULL, 10)) },
        { "making a map", make_map() },
        { "loading a program", load_program() },
    };

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (!is_refusal(tried[i].r))
            return say_tamper(tried[i].what, tried[i].r);
    return attempt_say(ATTEMPT_REFUSED, "opening a map of the policy, and bpf(2) otherwise: %s",
                       strerror(-tried[0].r));
}

/* make-pin DIRECTORY: gets through when it can make something in there, and so could take away and
 * replace what is there. */
enum attempt_result attempt_make_pin(int argc, char **argv)
{
    char path[PATH_MAX];
    int r = 0;

    if (argc != 2)
        return attempt_say(ATTEMPT_UNTRIED, "no pins to replace");
    snprintf(path, sizeof path, "%s/check_%d", argv[1], (int)getpid());
    if (mkdir(path, 0700) < 0)
        r = -errno;
    else
        rmdir(path);
    return say_tamper("replacing a pin", r);
}

/* open-pin read|write PIN: gets through when the map is opened. */
enum attempt_result attempt_open_pin(int argc, char **argv)
{
    const bool for_reading = argc == 3 && strcmp(argv[1], "read") == 0;

    if (argc != 3)
        return attempt_say(ATTEMPT_UNTRIED, "no pin to open");
    return say_tamper(for_reading ? "opening a map for reading, as root"
                                  : "opening a map for writing, as root but not as the loader",
                      open_pin(argv[2], for_reading));
}

/* The number that a pinned map has now; 0: none is there. */
static uint32_t id_of(const char *pin)
{
    _cleanup_close_ int fd = open_pin(pin, true);
    struct bpf_map_info info = {};
    union bpf_attr attr = {
        .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof info, .info = (uintptr_t)&info },
    };

    return fd >= 0 && call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) >= 0 ? info.id : 0;
}

void probe_lsm_tamper(struct probe_run *run)
{
    const struct place session = PLACE_SANDBOX(run), root = PLACE_ROOT;
    struct place privileged = PLACE_OUTSIDE(run);
    char id[16];

    if (kernel_policy_is_off(run, "there is nothing to tamper with"))
        return;
    snprintf(id, sizeof id, "%u", (unsigned)id_of(MAP_PIN));
    privileged.privileged = true;

    struct call tried[] = {
        CALL("tamper", MAP_PIN, id),           CALL("make-pin", PINS_DIR),
        CALL("nested", "tamper", MAP_PIN, id), CALL("nested", "make-pin", PINS_DIR),
        CALL("tamper", MAP_PIN, id),        /* with capabilities */
        CALL("open-pin", "write", MAP_PIN), /* by root */
    };
    struct call control[] = { CALL("open-pin", "read", MAP_PIN) };
    const size_t n = sizeof tried / sizeof *tried;
    size_t worst = 0;

    place_run(run, &session, tried, n - 2);
    place_run(run, &privileged, &tried[n - 2], 1);
    place_run(run, &root, &tried[n - 1], 1);
    place_run(run, &root, control, 1);
    for (size_t i = 1; i < n && tried[worst].result == ATTEMPT_REFUSED; i++)
        worst = i;
    place_judge(run, &tried[worst]);
    place_judge_control(run, control);
}
