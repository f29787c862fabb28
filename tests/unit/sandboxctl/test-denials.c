/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as people write them, and entries of the journal as people and machines read them. */
#include "bpf/denial-entry.h"
#include "conf/cleanup.h"
#include "sandboxctl/denials-entry.h"
#include "sandboxctl/denials-since.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <systemd/sd-json.h>
#include <time.h>

#include <cmocka.h>

#define SEC UINT64_C(1000000)
/* 2026-01-02 03:04:05 UTC, a Friday. */
#define NOW (UINT64_C(1767323045) * SEC + 678)

static void use_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

static void assert_since(const char *text, uint64_t expected)
{
    uint64_t usec;

    if (denials_since_parse(text, NOW, &usec) < 0)
        fail_msg("\"%s\" was refused", text);
    if (usec != expected)
        fail_msg("\"%s\" is %llu and not %llu", text, (unsigned long long)usec,
                 (unsigned long long)expected);
}

static void test_since(void **state)
{
    (void)state;
    use_zone("UTC");
    assert_since("now", NOW);
    assert_since("10s ago", NOW - 10 * SEC);
    assert_since("10 sec ago", NOW - 10 * SEC);
    assert_since("10min ago", NOW - 600 * SEC);
    assert_since("-10min", NOW - 600 * SEC);
    assert_since("1h 30min ago", NOW - 5400 * SEC);
    assert_since("1h30min", NOW - 5400 * SEC);
    assert_since("2 days", NOW - 2 * 86400 * SEC);
    assert_since("1w", NOW - 7 * 86400 * SEC);
    assert_since("9999999d ago", 0);
    assert_since("today", UINT64_C(1767312000) * SEC);
    assert_since("yesterday", UINT64_C(1767225600) * SEC);
    assert_since("02:00", UINT64_C(1767319200) * SEC);
    assert_since("02:00:01", UINT64_C(1767319201) * SEC);
    assert_since("@1767355200", UINT64_C(1767355200) * SEC);
    assert_since("@0", 0);
    assert_since("2026-01-02", UINT64_C(1767312000) * SEC);
    assert_since("2026-01-02 12:00", UINT64_C(1767355200) * SEC);
    assert_since("2026-01-02 12:00:30", UINT64_C(1767355230) * SEC);
    assert_since("2026-01-02T12:00:30Z", UINT64_C(1767355230) * SEC);
    assert_since("2026-01-02T12:00:30.25Z", UINT64_C(1767355230) * SEC + 250000);
    assert_since("2026-01-02T12:00:30.1234567899Z", UINT64_C(1767355230) * SEC + 123456);
    assert_since("2026-01-02T13:00:30+01:00", UINT64_C(1767355230) * SEC);
    assert_since("2026-01-02T06:30:30-05:30", UINT64_C(1767355230) * SEC);
    assert_since("2024-02-29", UINT64_C(1709164800) * SEC);
}

static void test_since_in_a_zone(void **state)
{
    (void)state;
    use_zone("EAST-5"); /* five hours east: it is 08:04:05 */
    assert_since("today", UINT64_C(1767294000) * SEC);
    assert_since("08:00", UINT64_C(1767322800) * SEC);
    assert_since("2026-01-02 12:00", UINT64_C(1767337200) * SEC);
    assert_since("2026-01-02 12:00 UTC", UINT64_C(1767355200) * SEC);
    assert_since("2026-01-02 UTC", UINT64_C(1767312000) * SEC);
    assert_since("2026-01-02T12:00:30Z", UINT64_C(1767355230) * SEC);
    use_zone("UTC");
}

/* A day of 23 hours began yesterday at midnight all the same. */
static void test_since_with_summer_time(void **state)
{
    const uint64_t noon = UINT64_C(1774864800) * SEC; /* 2026-03-30 12:00 CEST */
    uint64_t usec;

    (void)state;
    use_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    assert_int_equal(denials_since_parse("yesterday", noon, &usec), 0);
    assert_int_equal(usec, UINT64_C(1774738800) * SEC); /* 2026-03-29 00:00 CET */
    use_zone("UTC");
}

static void test_since_refused(void **state)
{
    static const char *const refused[] = {
        "",
        " ",
        "-",
        "tomorrow",
        "ago",
        "10",
        "10 ago",
        "10 parsecs ago",
        "10min before",
        "min ago",
        "--10min",
        "-1h -10min",
        "99999999999999999999s",
        "18446744073710s",
        "99999999999999999 weeks",
        "24:00",
        "12:60",
        "12:00:60",
        "1:00",
        "12:00:",
        "12:00 UTC",
        "2026",
        "2026-01",
        "2026-13-01",
        "2026-00-01",
        "2026-02-29",
        "2026-04-31",
        "1969-12-31",
        "2026-01-02 ",
        "2026-01-02T",
        "2026-01-02 12",
        "2026-01-02 12:00:30.",
        "2026-01-02T12:00:30z",
        "2026-01-02T12:00:30+1:00",
        "2026-01-02T12:00:30+01:00Z",
        "1970-01-01T00:00:00+01:00",
        "@",
        "@-1",
        "@1x",
        "@18446744073709551615",
    };
    uint64_t usec;

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (denials_since_parse(refused[i], NOW, &usec) == 0)
            fail_msg("\"%s\" was taken for %llu", refused[i], (unsigned long long)usec);
}

static void set(struct denials_entry *entry, enum denials_field field, const char *value)
{
    assert_int_equal(denials_entry_set(entry, field, value, strlen(value)), 0);
}

/* One about a socket, which each test changes. */
static struct denials_entry make(void)
{
    struct denials_entry entry = { .realtime_usec = NOW };

    set(&entry, FIELD_SANDBOX, "agent");
    set(&entry, FIELD_SANDBOX_UID, "59000");
    set(&entry, FIELD_PROGRAM, "sockets");
    set(&entry, FIELD_WHAT, "connecting");
    set(&entry, FIELD_COMM, "busctl");
    set(&entry, FIELD_PID, "1234");
    set(&entry, FIELD_OBJECT_KIND, "path");
    set(&entry, FIELD_OBJECT, "/run/x");
    set(&entry, FIELD_DROPPED, "0");
    return entry;
}

static void assert_line(const struct denials_entry *entry, const char *expected)
{
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    denials_print(entry, out);
    fclose(out);
    assert_string_equal(text, expected);
}

#define LINE_BEGINS "2026-01-02 03:04:05 UTC  agent         "

/* It was logged later. */
static void test_time_of_the_denial(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = make();

    (void)state;
    use_zone("UTC");
    entry.realtime_usec += 3600 * SEC;
    set(&entry, FIELD_REALTIME_USEC, "1767323045000678");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            /run/x\n");
    set(&entry, FIELD_REALTIME_USEC, "1767323045000678?");
    assert_line(&entry, "2026-01-02 04:04:05 UTC  agent         "
                        "sockets      busctl[1234]            /run/x\n");
}

static void test_lines(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = make();

    (void)state;
    use_zone("UTC");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            /run/x\n");
    set(&entry, FIELD_DROPPED, "12");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            /run/x"
                                    " (and 12 before it, not logged one by one)\n");
    set(&entry, FIELD_DROPPED, "0");
    set(&entry, FIELD_OBJECT_KIND, "abstract");
    set(&entry, FIELD_OBJECT, "x");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            @x\n");
    set(&entry, FIELD_OBJECT_KIND, "device");
    set(&entry, FIELD_OBJECT, "/srv/x");
    set(&entry, FIELD_OBJECT_DEVICE, "8:1");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            /srv/x, device 8:1\n");
    set(&entry, FIELD_OBJECT, "deep/x");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            ...deep/x, device 8:1\n");
    set(&entry, FIELD_OBJECT_PATH, "/mnt/deep/x");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            /mnt/deep/x\n");
    free(entry.fields[FIELD_OBJECT_PATH]);
    entry.fields[FIELD_OBJECT_PATH] = NULL;
    set(&entry, FIELD_OBJECT_KIND, "process");
    set(&entry, FIELD_OBJECT, "bash");
    set(&entry, FIELD_OBJECT_PID, "77");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            bash[77]\n");
    set(&entry, FIELD_OBJECT_KIND, "none");
    assert_line(&entry, LINE_BEGINS "sockets      busctl[1234]            connecting\n");
}

static void test_line_of_a_count(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = { .realtime_usec = NOW };

    (void)state;
    set(&entry, FIELD_SANDBOX_UID, "59000");
    set(&entry, FIELD_DROPPED, "9950");
    assert_line(&entry,
                "2026-01-02 03:04:05 UTC  59000         -            -                       "
                "9950 more, not logged one by one\n");
}

static void test_header_stands_above(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = make();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    denials_print_header(out);
    denials_print(&entry, out);
    fclose(out);
    const char *line = strchr(text, '\n') + 1;
    assert_int_equal(strstr(text, "SANDBOX") - text, strstr(line, "agent") - line);
    assert_int_equal(strstr(text, "PROGRAM") - text, strstr(line, "sockets") - line);
    assert_int_equal(strstr(text, "PROCESS") - text, strstr(line, "busctl") - line);
    assert_int_equal(strstr(text, "WAS DENIED") - text, strstr(line, "/run/x") - line);
    free(text);
}

/* Whoever wrote the entry, a terminal gets nothing from it but text. */
static void test_bytes_do_not_get_through(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = make();

    (void)state;
    set(&entry, FIELD_OBJECT, "/run/\033[2J\n\x7f\xc3\xbc");
    set(&entry, FIELD_SANDBOX, "a\tb");
    assert_line(&entry,
                "2026-01-02 03:04:05 UTC  a?b           sockets      busctl[1234]            "
                "/run/?[2J????\n");
}

static sd_json_variant *json_of(const struct denials_entry *entry)
{
    _cleanup_free_ char *text = NULL;
    sd_json_variant *object = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(denials_print_json(entry, out), 0);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(sd_json_parse(text, 0, &object, NULL, NULL), 0);
    return object;
}

static void test_json(void **state)
{
    _cleanup_denials_entry_ struct denials_entry entry = make();

    (void)state;
    set(&entry, FIELD_UID, "4294967294");
    set(&entry, FIELD_OBJECT, "/run/\\x0a\\x22");
    set(&entry, FIELD_OBJECT_INODE, "18446744073709551615");
    set(&entry, FIELD_OBJECT_UID, "12 monkeys");
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *object = json_of(&entry);
    assert_int_equal(sd_json_variant_unsigned(sd_json_variant_by_key(object, "timeUSec")), NOW);
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(object, "sandbox")), "agent");
    assert_int_equal(sd_json_variant_unsigned(sd_json_variant_by_key(object, "uid")), 4294967294);
    assert_int_equal(sd_json_variant_unsigned(sd_json_variant_by_key(object, "pid")), 1234);
    assert_true(sd_json_variant_unsigned(sd_json_variant_by_key(object, "objectInode")) ==
                UINT64_MAX);
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(object, "object")),
                        "/run/\\x0a\\x22");
    /* Every field is there, also what the entry does not have, or what is no number. */
    assert_true(sd_json_variant_is_null(sd_json_variant_by_key(object, "objectUid")));
    assert_non_null(sd_json_variant_by_key(object, "objectPid"));
    assert_true(sd_json_variant_is_null(sd_json_variant_by_key(object, "objectPid")));
    assert_int_equal(sd_json_variant_elements(object), 2 * (1 + N_FIELDS));
}

/* Nothing that the log writes is left out here. */
static void test_every_field_is_shown(void **state)
{
    const struct denial denial = {
        .sandbox = 59000, .program = PROGRAM_READS, .object_kind = OBJECT_PROCESS, .inode = 1
    };
    const struct denial_context context = { .sandbox = "agent", .path = "/x" };
    struct denial_entry logged;
    size_t n = 0;

    (void)state;
    assert_int_equal(denial_entry_make(&denial, &context, &logged), 0);
    for (size_t i = 0; i < logged.n_fields; i++) {
        const char *field = logged.fields[i].iov_base;
        const size_t length = strcspn(field, "=") + 1;

        if (strncmp(field, "MESSAGE_ID=", length) == 0 || strncmp(field, "PRIORITY=", length) == 0)
            continue;
        n++;
        if (!denials_field_is_read(field, length - 1))
            fail_msg("%.*s is not shown", (int)length, field);
    }
    assert_int_equal(n, N_FIELDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_since),
        cmocka_unit_test(test_since_in_a_zone),
        cmocka_unit_test(test_since_with_summer_time),
        cmocka_unit_test(test_since_refused),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_line_of_a_count),
        cmocka_unit_test(test_time_of_the_denial),
        cmocka_unit_test(test_header_stands_above),
        cmocka_unit_test(test_bytes_do_not_get_through),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_every_field_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
