/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of denials carry names that a hostile process chose, and what comes of them is read on
 * terminals and by programs. Behind the record stands the list of mounts, whose names are chosen by
 * whoever may mount. */
#include "bpf/denials-mounts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entry(const struct denial_entry *entry)
{
    for (size_t i = 0; i < entry->n_fields; i++) {
        const char *base = entry->fields[i].iov_base;
        size_t length = entry->fields[i].iov_len;

        if (base < entry->text || base + length > entry->text + sizeof(entry->text) ||
            !memchr(base, '=', length))
            abort();
        for (size_t j = 0; j < length; j++)
            if (base[j] < ' ' || base[j] > '~')
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct denial_context context = { .sandbox = "agent" };
    struct denial_entry entry;
    struct denial denial;
    char path[DENIAL_PATH_SIZE];

    if (size != sizeof(denial) && denial_parse(data, size, &denial) == 0)
        abort();
    if (size < sizeof(denial) || denial_parse(data, sizeof(denial), &denial) < 0)
        return 0;
    if (size > sizeof(denial)) {
        FILE *mountinfo = fmemopen((void *)(data + sizeof(denial)), size - sizeof(denial), "r");
        if (!mountinfo)
            abort();
        if (denials_mounts_find(mountinfo, &denial, path) == 0) {
            if (strnlen(path, sizeof(path)) == sizeof(path) || path[0] != '/')
                abort();
            context.path = path;
        }
        fclose(mountinfo);
    }

    if (denial_entry_make(&denial, &context, &entry) < 0)
        abort();
    check_entry(&entry);
    if (denial_entry_make_rest(denial.sandbox, "agent", denial.dropped, &entry) < 0)
        abort();
    check_entry(&entry);
    return 0;
}
