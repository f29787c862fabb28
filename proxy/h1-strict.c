/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/h1-strict.h"

#include <errno.h>
#include <string.h>

int h1_strict_scan(const char *data, size_t size, size_t *scanned, size_t *line,
                   const char **ret_problem)
{
    for (size_t i = *scanned; i < size; i++) {
        if (i > 0 && data[i - 1] == '\r' && data[i] != '\n') {
            *ret_problem = "a CR without LF in the head";
            return -EBADMSG;
        }
        if (data[i] == '\0') {
            *ret_problem = "a NUL in the head";
            return -EBADMSG;
        }
        if (data[i] != '\n')
            continue;
        if (i == 0 || data[i - 1] != '\r') {
            *ret_problem = "an LF without CR in the head";
            return -EBADMSG;
        }
        if (*line == i - 1) {
            *scanned = i + 1;
            return 1;
        }
        *line = i + 1;
    }
    *scanned = size;
    return 0;
}

/* RFC 9112, 3: one space between method, target and version, and no white space within them. Bytes
 * beyond ASCII are in no target (RFC 3986, 2), and would be understood in more than one way. */
static int check_request_line(const char *line, size_t size, const char **ret_problem)
{
    const char *first = memchr(line, ' ', size);
    const char *second = first ? memchr(first + 1, ' ', (size_t)(line + size - first) - 1) : NULL;

    *ret_problem = "the request line is not METHOD TARGET HTTP/1.1";
    if (!second || first == line || second == first + 1)
        return 400;
    for (const char *c = first + 1; c < second; c++)
        if (*c <= 0x20 || *c >= 0x7f) {
            *ret_problem = "a byte in the request target that has to be percent-encoded";
            return 400;
        }

    size_t version = (size_t)(line + size - second) - 1;
    if (version == 8 &&
        (memcmp(second + 1, "HTTP/1.1", 8) == 0 || memcmp(second + 1, "HTTP/1.0", 8) == 0))
        return 0;
    if (version > 5 && memcmp(second + 1, "HTTP/", 5) == 0) {
        *ret_problem = "only HTTP/1.1 and HTTP/1.0 are spoken here";
        return 505;
    }
    return 400;
}

/* RFC 9112, 4; without the space before an empty reason there are origins. */
static int check_status_line(const char *line, size_t size, const char **ret_problem)
{
    *ret_problem = "the status line is not HTTP/1.1 STATUS REASON";
    if (size < 12 || (memcmp(line, "HTTP/1.1 ", 9) != 0 && memcmp(line, "HTTP/1.0 ", 9) != 0))
        return 400;
    if (line[9] < '1' || line[9] > '9')
        return 400;
    for (size_t i = 10; i < 12; i++)
        if (line[i] < '0' || line[i] > '9')
            return 400;
    return size == 12 || line[12] == ' ' ? 0 : 400;
}

static int check_field_line(const char *line, size_t size, const char **ret_problem)
{
    const char *colon = memchr(line, ':', size);

    if (line[0] == ' ' || line[0] == '\t') {
        *ret_problem = "a folded header field";
        return 400;
    }
    *ret_problem = "a header field without a name and a colon";
    if (!colon || colon == line)
        return 400;
    if (colon[-1] == ' ' || colon[-1] == '\t') {
        *ret_problem = "white space before the colon of a header field";
        return 400;
    }
    *ret_problem = "a control character in a header field";
    for (const char *c = colon + 1; c < line + size; c++)
        if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f)
            return 400;
    return 0;
}

int h1_strict_check(enum h1_kind kind, const char *data, size_t size, const char **ret_problem)
{
    const char *line = data, *end = data + size - 2;
    bool first = true;

    do {
        const char *lf = memchr(line, '\n', (size_t)(data + size - line));
        size_t length = (size_t)(lf - line) - 1;
        int status;

        if (!first)
            status = check_field_line(line, length, ret_problem);
        else if (kind == H1_REQUEST)
            status = check_request_line(line, length, ret_problem);
        else
            status = check_status_line(line, length, ret_problem);
        if (status != 0)
            return status;
        first = false;
        line = lf + 1;
    } while (line < end);
    return 0;
}
