/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How findings are made, judged and printed. */
#include "sandboxctl/probes/place.h"
#include "sandboxctl/probes/report.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct config_sandbox sandbox = { .name = "agent", .uid = 59000 };
static const struct probe probe = { .name = "sudo", .what = "become root" };
static const struct probe only_control = { .name = "kvm" };

static const struct finding findings[] = {
    { "sudo", "agent", VERDICT_OK, "refused" },
    { "sudo-control", "agent", VERDICT_FAIL, "could not be tried" },
    { "run0-env", NULL, VERDICT_SKIP, "deny-env is empty" },
};

/* What the findings look like in the format. */
static char *print(enum report_format format, bool name_sandboxes, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    struct report report = {
        .format = format,
        .out = open_memstream(&text, &size),
        .name_sandboxes = name_sandboxes,
    };

    for (size_t i = 0; i < n; i++)
        report_finding(&report, &findings[i]);
    report_end(&report);
    fclose(report.out);
    return text;
}

static void test_plain(void **state)
{
    _cleanup_free_ char *one = print(REPORT_PLAIN, false, 3), *many = print(REPORT_PLAIN, true, 3);

    (void)state;
    assert_string_equal(one, "ok   sudo refused\n"
                             "FAIL sudo-control could not be tried\n"
                             "skip run0-env deny-env is empty\n");
    assert_string_equal(many, "ok   sudo agent: refused\n"
                              "FAIL sudo-control agent: could not be tried\n"
                              "skip run0-env deny-env is empty\n");
}

static void test_tap(void **state)
{
    _cleanup_free_ char *text = print(REPORT_TAP, false, 3);

    (void)state;
    assert_string_equal(text, "TAP version 14\n"
                              "ok 1 - sudo: refused\n"
                              "not ok 2 - sudo-control: could not be tried\n"
                              "ok 3 - run0-env # SKIP deny-env is empty\n"
                              "1..3\n");
}

static void test_json(void **state)
{
    _cleanup_free_ char *text = print(REPORT_JSON, false, 3), *none = print(REPORT_JSON, false, 0);
    sd_json_variant *list = NULL, *object;

    (void)state;
    assert_int_equal(sd_json_parse(text, 0, &list, NULL, NULL), 0);
    assert_int_equal(sd_json_variant_elements(list), 3);
    object = sd_json_variant_by_index(list, 1);
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(object, "name")),
                        "sudo-control");
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(object, "sandbox")), "agent");
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(object, "verdict")), "FAIL");
    assert_null(sd_json_variant_by_key(sd_json_variant_by_index(list, 2), "sandbox"));
    sd_json_variant_unref(list);

    assert_string_equal(none, "[]\n");
}

/* Only a refusal is a protection, and only a success is a control. */
static void test_judge(void **state)
{
    static const enum verdict expected[][2] = {
        [ATTEMPT_THROUGH] = { VERDICT_FAIL, VERDICT_OK },
        [ATTEMPT_REFUSED] = { VERDICT_OK, VERDICT_FAIL },
        [ATTEMPT_UNTRIED] = { VERDICT_FAIL, VERDICT_FAIL },
    };

    (void)state;
    for (enum attempt_result r = ATTEMPT_THROUGH; r <= ATTEMPT_UNTRIED; r++) {
        struct probe_run run = { .probe = &probe, .sandbox = &sandbox };
        const struct call call = { .result = r, .text = "tried" };

        place_judge(&run, &call);
        place_judge_control(&run, &call);
        assert_int_equal(run.findings.n, 2);
        assert_string_equal(run.findings.list[0].name, "sudo");
        assert_string_equal(run.findings.list[1].name, "sudo-control");
        assert_int_equal(run.findings.list[0].verdict, expected[r][0]);
        assert_int_equal(run.findings.list[1].verdict, expected[r][1]);
        findings_done(&run.findings);
    }
}

/* The session is hostile: what it says must not become lines or terminal codes of ours. */
static void test_text_is_plain(void **state)
{
    struct probe_run run = { .probe = &probe, .sandbox = &sandbox };

    (void)state;
    probe_found(&run, VERDICT_OK, "one\ntwo\tthree\r\033[31mfour\177");
    assert_string_equal(run.findings.list[0].text, "one two three  [31mfour ");
    findings_done(&run.findings);
}

static void test_skip(void **state)
{
    struct probe_run both = { .probe = &probe }, one = { .probe = &only_control };

    (void)state;
    probe_skip(&both, "no %s", "sudo");
    assert_int_equal(both.findings.n, 2);
    assert_int_equal(both.findings.list[0].verdict, VERDICT_SKIP);
    assert_string_equal(both.findings.list[1].text, "no sudo");
    findings_done(&both.findings);

    probe_skip(&one, "no device");
    assert_int_equal(one.findings.n, 1);
    assert_string_equal(one.findings.list[0].name, "kvm-control");
    findings_done(&one.findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_tap),
        cmocka_unit_test(test_json),  cmocka_unit_test(test_judge),
        cmocka_unit_test(test_skip),  cmocka_unit_test(test_text_is_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
