/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/refusal.h"

const struct refusal_entry refusals[N_REFUSALS] = {
    [REFUSAL_NONE] = { 0, "" },
    [REFUSAL_POLICY] = { 403, "policy" },
    [REFUSAL_MALFORMED] = { 400, "malformed" },
    [REFUSAL_IDENTITY] = { 403, "identity" },
    [REFUSAL_OVERRIDE] = { 403, "method-override" },
    [REFUSAL_SELF] = { 403, "self" },
    [REFUSAL_NO_PROXY] = { 403, "no-proxy-request" },
    [REFUSAL_RAW] = { 0, "raw" },
    [REFUSAL_SILENT] = { 408, "silent" },
    [REFUSAL_HANDSHAKE] = { 0, "handshake" },
    [REFUSAL_UNRESOLVED] = { 502, "unresolved" },
    [REFUSAL_ADDRESS] = { 502, "address" },
    [REFUSAL_UNREACHABLE] = { 502, "unreachable" },
    [REFUSAL_CERTIFICATE] = { 502, "certificate" },
    [REFUSAL_ORIGIN_TLS] = { 502, "origin-tls" },
    [REFUSAL_ORIGIN_HTTP] = { 502, "origin-http" },
    [REFUSAL_ORIGIN_CLOSED] = { 502, "origin-closed" },
    [REFUSAL_ORIGIN_SLOW] = { 504, "origin-slow" },
    [REFUSAL_GONE] = { 499, "client-gone" },
    [REFUSAL_INTERNAL] = { 503, "internal" },
};
