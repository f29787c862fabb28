/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any request, judged by the rules of a file with about everything in it. What can be said of a
 * verdict without repeating the code holds for each. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-merge.h"
#include "proxy/policy-new.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char rules[] =
    "write \"fetch\" { hosts = { \"g.example\", \"h.example:81\" } methods = { \"POST\" }\n"
    "    paths = { \"/**/git-upload-pack\", \"/a/*b*/**/c\" } }\n"
    "write \"ws\" { hosts = { \"g.example\" } paths = { \"/w*\" } upgrade = \"websocket\" }\n"
    "write \"body\" { hosts = { \"g.example\" } methods = { \"GET\" } paths = { \"/%2f/;\" } }\n";

static struct policy *make(char *const *allow, struct feed *feed)
{
    _cleanup_(egress_merge_done) struct egress_merge merge = { 0 };
    struct problems problems = { 0 };
    struct egress_policy *egress = NULL;
    struct policy *policy = NULL;

    assert(egress_merge_init(&merge, &problems) == 0);
    assert(egress_merge_text(&merge, "/rules", rules, sizeof rules - 1) == 0);
    assert(egress_merge_finish(&merge, &egress) == 0 && problems.count == 0);
    assert(policy_new(egress, allow, feed, &policy) == 0);
    return policy;
}

/* The next line of the input, as a string of its own. */
static char *next(const uint8_t **data, size_t *size)
{
    const uint8_t *end = memchr(*data, '\n', *size);
    const size_t n = end ? (size_t)(end - *data) : *size;
    char *text = strndup((const char *)*data, n);

    assert(text);
    *data += n + !!end;
    *size -= n + !!end;
    return text;
}

static void check_line(const struct policy_request *request, const struct policy_verdict *verdict)
{
    char line[700];

    policy_explain(request, verdict, line, sizeof line);
    assert(strnlen(line, sizeof line) < sizeof line && *line);
    for (const char *p = line; *p; p++)
        assert(*p >= ' ' && *p <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *const all[] = { NULL }, *const some[] = { "g.example", "*.x.example", NULL };
    static struct policy *wide, *narrow;
    _cleanup_free_ char *method = NULL, *host = NULL, *path = NULL;
    struct policy_request request = { 0 };
    struct policy_verdict verdict, other;
    bool known;

    if (size < 3)
        return 0;
    if (!wide) {
        wide = make(all, NULL);
        narrow = make(some, NULL);
    }
    request.has_body = data[0] & 1;
    request.upgrade = data[0] >> 1 & 3;
    request.port = (uint16_t)(data[1] | data[2] << 8);
    data += 3;
    size -= 3;
    request.method = method = next(&data, &size);
    request.host = host = next(&data, &size);
    path = malloc(size + 1);
    assert(path);
    memcpy(path, data, size);
    if (policy_normalise_path(path, &size) < 0 && !(size == 1 && *path == '*'))
        return 0;
    request.path = path;
    request.path_size = size;

    policy_decide(wide, &request, &verdict);
    assert(verdict.allowed == (verdict.reason == POLICY_REASON_ALLOWED));
    assert(strnlen(verdict.rule, sizeof verdict.rule) < sizeof verdict.rule);
    check_line(&request, &verdict);
    known = strcmp(host, "g.example") == 0 || strcmp(host, "h.example") == 0;
    if (verdict.allowed && strcmp(verdict.rule, "read") == 0)
        assert(!request.has_body && request.upgrade == POLICY_UPGRADE_NONE);
    else if (verdict.allowed)
        assert(known && request.upgrade != POLICY_UPGRADE_OTHER && !memmem(path, size, "/../", 4) &&
               !memmem(path, size, "//", 2));

    /* A list of hosts allows nothing more. */
    policy_decide(narrow, &request, &other);
    check_line(&request, &other);
    assert(!other.allowed || verdict.allowed);
    assert(!other.allowed || strcmp(other.rule, verdict.rule) == 0);
    return 0;
}
