/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/report.h"

#include "conf/cleanup.h"

#include <string.h>

static const char *const verdict_names[] = {
    [VERDICT_OK] = "ok",
    [VERDICT_FAIL] = "FAIL",
    [VERDICT_SKIP] = "skip",
};

static void append(struct report *report, sd_json_variant *object)
{
    if (sd_json_variant_append_array(&report->list, object) < 0)
        abort();
    sd_json_variant_unref(object);
}

static void add_json(struct report *report, const struct finding *finding)
{
    sd_json_variant *object = NULL;

    if (sd_json_buildo(&object, SD_JSON_BUILD_PAIR_STRING("name", finding->name),
                       SD_JSON_BUILD_PAIR_CONDITION(!!finding->sandbox, "sandbox",
                                                    SD_JSON_BUILD_STRING(finding->sandbox)),
                       SD_JSON_BUILD_PAIR_STRING("verdict", verdict_names[finding->verdict]),
                       SD_JSON_BUILD_PAIR_STRING("text", finding->text)) < 0)
        abort();
    append(report, object);
}

void report_finding(struct report *report, const struct finding *finding)
{
    const char *sandbox = report->name_sandboxes && finding->sandbox ? finding->sandbox : NULL;
    size_t number;

    report->n[finding->verdict]++;
    number = report->n[VERDICT_OK] + report->n[VERDICT_FAIL] + report->n[VERDICT_SKIP];

    switch (report->format) {
    case REPORT_PLAIN:
        fprintf(report->out, "%-4s %s %s%s%s\n", verdict_names[finding->verdict], finding->name,
                sandbox ? sandbox : "", sandbox ? ": " : "", finding->text);
        break;
    case REPORT_TAP:
        if (number == 1)
            fputs("TAP version 14\n", report->out);
        fprintf(report->out, "%s %zu - %s%s%s%s%s\n",
                finding->verdict == VERDICT_FAIL ? "not ok" : "ok", number, finding->name,
                sandbox ? " " : "", sandbox ? sandbox : "",
                finding->verdict == VERDICT_SKIP ? " # SKIP " : ": ", finding->text);
        break;
    case REPORT_JSON:
        add_json(report, finding);
        break;
    }
    fflush(report->out);
}

void report_end(struct report *report)
{
    size_t all = report->n[VERDICT_OK] + report->n[VERDICT_FAIL] + report->n[VERDICT_SKIP];

    if (report->format == REPORT_TAP)
        fprintf(report->out, "1..%zu\n", all);
    if (report->format == REPORT_JSON) {
        if (!report->list && sd_json_variant_new_array(&report->list, NULL, 0) < 0)
            abort();
        sd_json_variant_dump(report->list, SD_JSON_FORMAT_PRETTY_AUTO | SD_JSON_FORMAT_NEWLINE,
                             report->out, NULL);
    }
    report->list = sd_json_variant_unref(report->list);
    fflush(report->out);
}

void report_table(struct report *report)
{
    for (const struct probe *probe = probes; probe->name; probe++) {
        const char *what = probe->what ? probe->what : "(only a control)";
        sd_json_variant *object = NULL;

        if (report->format != REPORT_JSON) {
            fprintf(report->out, "%s%s %s; control: %s%s%s\n", probe->name,
                    probe->objects ? probe->objects : "", what, probe->control,
                    *probe->stopped_by ? "; stopped by: " : "", probe->stopped_by);
            continue;
        }
        if (sd_json_buildo(&object, SD_JSON_BUILD_PAIR_STRING("name", probe->name),
                           SD_JSON_BUILD_PAIR_STRING("tries", what),
                           SD_JSON_BUILD_PAIR_STRING("control", probe->control),
                           SD_JSON_BUILD_PAIR_STRING("stopped-by", probe->stopped_by)) < 0)
            abort();
        append(report, object);
    }
    if (report->format == REPORT_JSON)
        report_end(report);
}
