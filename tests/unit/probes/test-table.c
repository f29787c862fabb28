/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of probes, and what has to agree with it. */
#include "sandboxctl/probes/attempt.h"
#include "sandboxctl/probes/probe.h"
#include "sandboxctl/probes/report.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *read_whole(FILE *file)
{
    char *text = NULL;
    size_t size = 0;

    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    return text;
}

static void test_names(void **state)
{
    (void)state;
    for (const struct probe *p = probes; p->name; p++) {
        size_t length = strlen(p->name);

        /* A control's name must be nobody else's. */
        assert_true(length < strlen("-control") ||
                    strcmp(p->name + length - strlen("-control"), "-control") != 0);
        assert_int_equal(!!p->objects, p->name[length - 1] == ':');
        assert_int_equal(strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-:"), length);
        for (const struct probe *q = probes; q != p; q++)
            assert_string_not_equal(q->name, p->name);
    }
}

static void test_texts(void **state)
{
    (void)state;
    for (const struct probe *p = probes; p->name; p++) {
        assert_non_null(p->run);
        assert_true(p->control && *p->control);
        assert_true(!p->what || (*p->what && *p->stopped_by));
        /* What runs alone does so for one sandbox. */
        assert_true(!p->of_host || p->company == PROBE_SHARED);
    }
}

/* Within a company the table's order is the order of the lines; what comes last must be last. */
static void test_order(void **state)
{
    bool last = false;

    (void)state;
    for (const struct probe *p = probes; p->name; p++) {
        assert_true(!last || p->company == PROBE_LAST);
        last = p->company == PROBE_LAST;
    }
}

static void test_list(void **state)
{
    _cleanup_fclose_ FILE *file = tmpfile();
    struct report report = { .out = file };
    _cleanup_free_ char *text = NULL;
    char *line;

    (void)state;
    report_table(&report);
    rewind(file);
    text = read_whole(file);
    line = text;
    for (const struct probe *p = probes; p->name; p++) {
        assert_int_equal(strncmp(line, p->name, strlen(p->name)), 0);
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(line, "");
}

/* The man page escapes hyphens; its entries are what follows .TP. */
static void test_man_page(void **state)
{
    _cleanup_free_ char *path = NULL, *text = NULL;
    _cleanup_fclose_ FILE *file = NULL;

    (void)state;
    assert_true(asprintf(&path, "%s/sandboxctl/probes/sandboxctl-check.8", getenv("SOURCE_ROOT")) >
                0);
    file = fopen(path, "re");
    text = read_whole(file);
    for (const struct probe *p = probes; p->name; p++) {
        char escaped[128] = " ";
        bool found = false;

        for (const char *c = p->name; *c; c++)
            sprintf(escaped + strlen(escaped), *c == '-' ? "\\-" : "%c", *c);
        for (char *tp = text; !found && (tp = strstr(tp, "\n.TP\n")); tp += 5) {
            const char *name = strstr(tp + 5, escaped);
            const char *end = name ? name + strlen(escaped) : NULL;

            found = name && name < strchr(tp + 5, '\n') && strchr(" \n", *end);
        }
        if (!found)
            fail_msg("%s is not in the man page", p->name);
    }
}

static void test_attempts(void **state)
{
    (void)state;
    for (const struct attempt *a = attempts; a->name; a++) {
        assert_ptr_equal(attempt_find(a->name), a);
        assert_non_null(a->run);
    }
    assert_null(attempt_find("nothing"));
}

static void test_is_wanted(void **state)
{
    const struct probe probe = { .name = "view-root" }, paths = { .name = "private-path:" };
    char *exact[] = { "view-root" }, *control[] = { "view-root-control" }, *glob[] = { "view-*" },
         *other[] = { "sudo", "linger" }, *path[] = { "private-path:/srv" };

    (void)state;
    assert_true(probe_is_wanted(&probe, NULL, NULL, 0));
    assert_true(probe_is_wanted(&probe, NULL, exact, 1));
    assert_true(probe_is_wanted(&probe, NULL, control, 1));
    assert_true(probe_is_wanted(&probe, NULL, glob, 1));
    assert_false(probe_is_wanted(&probe, NULL, other, 2));
    assert_true(probe_is_wanted(&paths, "/srv", path, 1));
    assert_false(probe_is_wanted(&paths, "/opt", path, 1));
}

/* Objects that are found later: a pattern may match one of them. */
static void test_may_be_wanted(void **state)
{
    static const struct {
        char *pattern;
        bool expected;
    } cases[] = {
        { "socket:", true },     { "socket:/run/x", true },
        { "socket:*", true },    { "socket:/run/x-control", true },
        { "sock*", true },       { "*", true },
        { "*-control", true },   { "[rs]ocket:*", true },
        { "?ocket:/x", true },   { "sock", false },
        { "sudo", false },       { "sockets:*", false },
        { "abstract:*", false }, { "private-path:/srv", false },
    };
    const struct probe probe = { .name = "socket:", .objects = "PATH" }, other = { .name = "sock" };
    struct probe_run run = { .probe = &probe };

    (void)state;
    assert_true(probe_may_be_wanted(&probe, NULL, 0));
    assert_true(probe_wants_object(&run, "/run/x"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pattern = cases[i].pattern;

        if (probe_may_be_wanted(&probe, &pattern, 1) != cases[i].expected)
            fail_msg("%s", pattern);
        assert_true(strcmp(pattern, "socket:/run/x") != 0 ||
                    !probe_may_be_wanted(&other, &pattern, 1));
        run.patterns = &pattern;
        run.n_patterns = 1;
        assert_false(!cases[i].expected && probe_wants_object(&run, "/run/x"));
    }
    run.patterns = (char *[]){ (char *)"socket:/run/x" };
    assert_true(probe_wants_object(&run, "/run/x"));
    assert_false(probe_wants_object(&run, "/run/y"));
    run.patterns = (char *[]){ (char *)"socket:" };
    assert_true(probe_wants_object(&run, "/run/y"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_list),
        cmocka_unit_test(test_man_page),  cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_is_wanted), cmocka_unit_test(test_may_be_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
