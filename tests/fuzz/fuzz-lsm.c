/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the loader of the kernel policy reads of the kernel: its list of LSMs, and mountinfo, in
 * which whoever mounts writes most of each line. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/mode.h"
#include "bpf/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By another way: the names as strtok(3) finds them. */
static void check_mode(char *text)
{
    enum policy_mode mode = policy_mode_of(text), expected = MODE_FMOD_RET;
    char *rest;

    for (char *name = strtok_r(text, ",\n", &rest); name; name = strtok_r(NULL, ",\n", &rest))
        if (strcmp(name, "bpf") == 0)
            expected = MODE_LSM;
    assert(mode == expected);
}

static void check_mountinfo(const uint8_t *data, size_t size)
{
    static const uint64_t mounts[] = { 0, 1, 21, UINT64_MAX };

    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        FILE *file = fmemopen((void *)data, size, "r");
        uint32_t device = 7;

        assert(file);
        int r = place_find_device(file, mounts[i], &device);
        assert(r == 0 || ((r == -ENOENT || r == -ERANGE) && device == 7));
        fclose(file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    check_mountinfo(data, size);

    char *text = malloc(size + 1);
    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_mode(text);
    free(text);
    return 0;
}
