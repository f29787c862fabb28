/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/subid-file.h"

#include "nss/nss-file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* shadow's subordinate_parse() ignores a line of this length or more. */
#define LINE_MAX_LENGTH 1024

/* Numbers as strtoul(3) reads them with base 0, which is how shadow does, but for a sign. */
static bool parse_number(const char *text, uint32_t *ret)
{
    char *end;
    if (*text == '\0' || strchr(text, '-'))
        return false;
    errno = 0;
    unsigned long n = strtoul(text, &end, 0);
    if (errno != 0 || *end != '\0' || end == text || n > UINT32_MAX)
        return false;
    *ret = (uint32_t)n;
    return true;
}

bool subid_line_parse(char *text, struct subid_line *ret)
{
    /* A NIS entry ("+", "-") is none of ours, and commonio_open() of shadow skips it as well. */
    if (strlen(text) >= LINE_MAX_LENGTH || strchr("+-", text[0]))
        return false;

    /* A fourth field is ignored: shadow up to 4.17 never looks at it. */
    const char *owner = strsep(&text, ":");
    const char *start = strsep(&text, ":");
    const char *count = strsep(&text, ":");
    if (*owner == '\0' || !start || !count || !parse_number(start, &ret->start) ||
        !parse_number(count, &ret->count))
        return false;

    /* No ids at all, and ids past the last one ((uid_t)-1 means "no id" to the kernel). */
    if (ret->count == 0 || ret->count > UINT32_MAX - ret->start)
        return false;
    ret->owner = owner;
    return true;
}

bool subid_parse_uid(const char *text, uid_t *ret)
{
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno != 0 || end == text || n >= UINT32_MAX)
        return false;
    *ret = (uid_t)n;
    return true;
}

int subid_file_open(struct subid_file *file, const char *path)
{
    *file = (struct subid_file){ .stream = nss_file_open(path) };
    return file->stream || errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

void subid_file_close(struct subid_file *file)
{
    if (file->stream)
        fclose(file->stream);
    free(file->buffer);
}

int subid_file_next(struct subid_file *file, struct subid_line *ret)
{
    while (file->stream) {
        errno = 0;
        if (getline(&file->buffer, &file->size, file->stream) < 0)
            return feof(file->stream) ? 0 : errno != 0 ? -errno : -EIO;
        file->buffer[strcspn(file->buffer, "\n")] = '\0';
        if (subid_line_parse(file->buffer, ret))
            return 1;
    }
    return 0;
}
