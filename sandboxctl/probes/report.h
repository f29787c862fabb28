/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Findings for people, for TAP consumers, and as JSON. */

#include "sandboxctl/probes/probe.h"

#include <stdio.h>
#include <systemd/sd-json.h>

enum report_format {
    REPORT_PLAIN,
    REPORT_TAP,
    REPORT_JSON,
};

struct report {
    enum report_format format;
    FILE *out;
    bool name_sandboxes; /* more than one is looked at */
    size_t n[VERDICT_SKIP + 1];
    sd_json_variant *list; /* of REPORT_JSON */
};

void report_finding(struct report *report, const struct finding *finding);

/* What comes after the last finding; frees what the report holds. */
void report_end(struct report *report);

/* The table of probes, in the format. */
void report_table(struct report *report);
