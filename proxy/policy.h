/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a sandbox may ask of the network: the decision about one request, from data alone.
 *
 * Promises: no input or output, no lock, no allocation and no wire format in policy_decide(); the
 * answer depends on the request and the loaded policy and on nothing else, so a request is judged
 * before its host is looked up. A request whose fields are outside of what is described here is
 * refused, never undefined. egress.conf(5) says what the rules mean.
 *
 * For the proxy, and for sandboxctl egress test. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/config.h"

struct policy;

enum policy_upgrade {
    POLICY_UPGRADE_NONE,
    POLICY_UPGRADE_WEBSOCKET,
    POLICY_UPGRADE_OTHER, /* no rule allows it */
};

struct policy_request {
    const char *method; /* as it was sent: GET, not get */
    const char *host;   /* normalised: lower-case A-labels without a trailing dot, or an IP literal
                         * as inet_ntop(3) writes it, without brackets */
    uint16_t port;      /* host byte order */
    const char *path;   /* after policy_normalise_path(), without the query; "*" for OPTIONS. Not
                         * terminated by a NUL */
    size_t path_size;
    bool has_body; /* a Content-Length that is not 0, or any Transfer-Encoding */
    enum policy_upgrade upgrade;
};

enum policy_reason {
    POLICY_REASON_ALLOWED,
    POLICY_REASON_HOST_FEED,       /* the host, or a domain it is in, is on the feed */
    POLICY_REASON_HOST_NOT_LISTED, /* allow is not empty and does not name it */
    POLICY_REASON_METHOD,          /* not a read, and no rule for this host, method and path */
    POLICY_REASON_BODY,            /* a read with a body, likewise */
    POLICY_REASON_UPGRADE,         /* a WebSocket without a rule, or another upgrade */
    POLICY_REASON_MALFORMED,       /* a field is not what struct policy_request says */
    N_POLICY_REASONS,
};

/* Names of rules are shorter than this, conf/ sees to it. */
#define POLICY_RULE_SIZE 64

struct policy_verdict {
    bool allowed;
    enum policy_reason reason;   /* POLICY_REASON_ALLOWED exactly when allowed */
    char rule[POLICY_RULE_SIZE]; /* that allowed it; "read" for a read, "feed" or "allow" for what
                                  * refused the host; "" when a rule is missing */
};

/* Always fills *verdict. */
void policy_decide(const struct policy *policy, const struct policy_request *request,
                   struct policy_verdict *verdict);

/* The word for X-Egress-Denied and the log: "no-write-rule". Never NULL. */
const char *policy_reason_token(enum policy_reason reason);

/* One line for people, without a newline: what was refused and which rule would be needed, or by
 * what it was allowed. Nothing in it but printable ASCII, whatever the request holds, and never the
 * query. For refusals and tests: it formats. */
void policy_explain(const struct policy_request *request, const struct policy_verdict *verdict,
                    char *buffer, size_t size);

/* Brings the path of a request target (everything before the first '?') into the form that is
 * matched and sent, in place; it never grows. Decodes %XX of unreserved characters, then removes
 * dot segments (RFC 3986, 6.2.2.2 and 5.2.4); all else stays byte for byte, %2F, ';', '\' and empty
 * segments too. Returns 0 and the new size, or -EBADMSG: it does not begin with '/', holds a '%'
 * without two hex digits, a '#', a space or a control character; answer 400. */
int policy_normalise_path(char *path, size_t *size);

/* Loads what is in force for the sandbox of that name: its allow list, rules and feed, all from the
 * snapshot. root is "" on the running system. Returns 0, or a negative errno after problem() was
 * told; -ENOENT: there is no such sandbox. A feed that cannot be used is no error when previous
 * has one: that one goes on, and problem() is told. previous may be NULL, and stays the caller's.
 * A policy that was loaded is read by any number of threads; free it when no verdict is under
 * way. */
int policy_load(const char *root, const char *sandbox, const struct policy *previous,
                config_problem_t problem, void *userdata, struct policy **ret);
void policy_free(struct policy *policy);
