/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *word_encode(const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    char *word = malloc(3 * length + 1), *to = word;

    if (!word)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (from[i] > ' ' && from[i] < 0x7f && from[i] != '%')
            *to++ = (char)from[i];
        else
            to += sprintf(to, "%%%02X", from[i]);
    *to = '\0';
    return word;
}

static int digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

long word_decode(const char *word, char *bytes, size_t size)
{
    char *to = bytes;

    for (const char *from = word; *from; from++) {
        int high, low;

        if (to + 1 >= bytes + size)
            return -ENAMETOOLONG;
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        high = digit(from[1]);
        low = high < 0 ? -1 : digit(from[2]);
        if (low < 0)
            return -EINVAL;
        *to++ = (char)(high << 4 | low);
        from += 2;
    }
    *to = '\0';
    return to - bytes;
}
