/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of sockets are anybody's to choose: lines of /proc/net/unix, and the words that become of
 * them. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/unix-list.h"
#include "sandboxctl/probes/words.h"

#include "conf/cleanup.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A word is one on a command line and in a line of a report, and gives the name back. */
static void check_word(const char *word)
{
    _cleanup_free_ char *again = NULL, *bytes = malloc(strlen(word) + 1);
    long length = bytes ? word_decode(word, bytes, strlen(word) + 1) : -1;

    for (const char *c = word; *c; c++)
        if (*c <= ' ' || *c >= 0x7f)
            abort();
    if (length <= 0)
        abort();
    again = word_encode(bytes, length);
    if (!again || strcmp(again, word) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *line = strndup((const char *)data, size);
    struct unix_socket parsed = {};
    struct sockaddr_un address;
    char name[64];
    socklen_t length;

    if (!line)
        abort();
    if (unix_list_parse(line, &parsed) == 1) {
        check_word(parsed.word);
        free(parsed.word);
    }
    if (word_decode(line, name, sizeof name) >= (long)sizeof name)
        abort();
    if (connect_address(line, &address, &length) == 0 && length > sizeof address)
        abort();
    return 0;
}
