/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A feed with any content, and any host asked for. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "proxy/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input up to the first NUL byte is a host, the rest a feed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_(feed_unrefp) struct feed *feed = NULL;
    const uint8_t *nul = memchr(data, '\0', size);
    const char *text = nul ? (const char *)nul + 1 : (const char *)data;
    const size_t text_size = size - (size_t)((const uint8_t *)text - data);
    unsigned line = 0;
    int r = feed_parse(text, text_size, &feed, &line);

    assert(r == 0 || (r == -EBADMSG && line > 0));
    if (r < 0)
        return 0;
    if (nul && *data) {
        _cleanup_free_ char *below = NULL;
        const bool has = feed_has(feed, (const char *)data);

        assert(asprintf(&below, "below.%s", (const char *)data) > 0);
        assert(!has || feed_has(feed, below));
        assert(!has || feed_count(feed) > 0);
    }
    return 0;
}
