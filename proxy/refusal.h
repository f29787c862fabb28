/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Why the proxy answers by itself: one table, from which status, header and log are made. */

enum refusal {
    REFUSAL_NONE,
    REFUSAL_POLICY,    /* the token is policy_reason_token()'s */
    REFUSAL_MALFORMED, /* the client's message; the status is the codec's */
    REFUSAL_IDENTITY,  /* CONNECT, server name and Host do not agree */
    REFUSAL_OVERRIDE,  /* another method is meant than the one that is sent */
    REFUSAL_SELF,      /* the proxy itself, or loopback */
    REFUSAL_NO_PROXY,  /* a path without a host: not said to a proxy */
    REFUSAL_RAW,       /* neither TLS nor HTTP in a tunnel */
    REFUSAL_SILENT,    /* nothing, or not enough, came in time */
    REFUSAL_HANDSHAKE, /* the client's part of TLS failed, mostly as it does not trust us */
    REFUSAL_UNRESOLVED,
    REFUSAL_ADDRESS, /* the name leads where nobody may go */
    REFUSAL_UNREACHABLE,
    REFUSAL_CERTIFICATE, /* the origin's */
    REFUSAL_ORIGIN_TLS,
    REFUSAL_ORIGIN_HTTP, /* what it sent is no answer */
    REFUSAL_ORIGIN_CLOSED,
    REFUSAL_ORIGIN_SLOW,
    REFUSAL_GONE, /* the client went away first */
    REFUSAL_INTERNAL,
    N_REFUSALS,
};

struct refusal_entry {
    unsigned status;
    const char *token; /* for X-Egress-Denied and the log */
};

extern const struct refusal_entry refusals[N_REFUSALS];
