/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox.conf(5), whose path is the argument, and the table of options say the same. */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/types.h"

static char *page;

/* What the page says in one section: "Ic host No { ... }" or the like begins it, the next one of
 * the same depth ends it. */
static const char *const begins[N_SECTIONS] = {
    [SECTION_HOST] = ".Sh HOST\n",
    [SECTION_RUN0] = ".Sh RUN0\n",
    [SECTION_RUN0_LIMITS] = ".It Ic limits No { ... }\nLimits of one session",
    [SECTION_SANDBOX] = ".Sh SANDBOX\n",
    [SECTION_SANDBOX_LIMITS] = ".It Ic limits No { ... }\nWhat all its sessions",
    [SECTION_EGRESS] = ".It Ic egress No { ... }\n",
    [SECTION_LOCAL] = ".It Ic local No { ... }\n",
};

static char *section_text(enum option_section section)
{
    const bool top = sections[section].parent == section;
    const char *begin = strstr(page, begins[section]), *end;

    if (!begin)
        fail_msg("the page has no section %s", sections[section].name);
    begin++;
    end = strstr(begin, top ? "\n.Sh " : "\n.El\n");
    assert_non_null(end);
    return strndup(begin, (size_t)(end - begin) + 1);
}

/* An option's own words: to the next item. */
static char *option_text(const struct option *option)
{
    _cleanup_free_ char *section = section_text(option->section);
    char item[64];
    const char *begin, *end;

    (void)snprintf(item, sizeof item, "Ic %s No =", option->name);
    begin = strstr(section, item);
    if (!begin)
        fail_msg("%s is not in section %s", option->name, sections[option->section].name);
    end = strstr(begin, "\n.It ");
    return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

static void test_every_option_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_options; i++) {
        _cleanup_free_ char *text = option_text(&options[i]);

        assert_non_null(strstr(text, options[i].type->list             ? "Ar list"
                                     : options[i].type == &type_bool   ? "Ar bool"
                                     : options[i].type == &type_size   ? "Ar size"
                                     : options[i].type == &type_time   ? "Ar time"
                                     : options[i].type == &type_weight ? "Ar weight"
                                                                       : "Ar "));
    }
}

static void test_every_range_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_options; i++) {
        const struct option *option = &options[i];
        _cleanup_free_ char *text = option_text(option), *range = NULL;
        char expected[64];
        size_t size;

        if (option->type == &type_number || option->type == &type_uid)
            (void)snprintf(expected, sizeof expected, "%" PRIu64 " to %" PRIu64, option->min,
                           option->max);
        else if (option->type == &type_id_range)
            (void)snprintf(expected, sizeof expected, "%" PRIu64 " and %" PRIu64, option->min,
                           option->max);
        else if (option->type == &type_size || option->type == &type_time) {
            struct config_sandbox target = { 0 };
            const struct option at_zero = { .type = option->type };
            FILE *out = open_memstream(&range, &size);

            memcpy(&target, &option->min, sizeof option->min);
            option->type->write(&at_zero, &target, 0, out);
            fputs(" to ", out);
            memcpy(&target, &option->max, sizeof option->max);
            option->type->write(&at_zero, &target, 0, out);
            fclose(out);
            size = 0;
            for (const char *p = range; *p; p++)
                if (*p != '"')
                    expected[size++] = *p;
            expected[size] = '\0';
        } else
            continue;
        if (!strstr(text, expected))
            fail_msg("%s: \"%s\" is not in the page", option->name, expected);
    }
}

static void test_every_default_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_options; i++) {
        const struct option *option = &options[i];
        _cleanup_free_ char *text = option_text(option);
        char plain[64], quoted[64];

        /* Those of run0's limits are described as one. */
        if (option->section == SECTION_RUN0_LIMITS || option->type == &type_uid)
            continue;
        (void)snprintf(plain, sizeof plain, "Default: %s",
                       option->fallback ? option->fallback : "none");
        (void)snprintf(quoted, sizeof quoted, "Default:\n.Ql %s", option->fallback);
        if (!strstr(text, plain) && !strstr(text, quoted) &&
            !(!option->fallback && strstr(text, "is the default")) &&
            !(!option->fallback && strstr(text, "is none, which is the default")))
            fail_msg("%s: its default is not in the page", option->name);
    }
}

/* And nothing is described that is not there. */
static void test_no_other_option_is_described(void **state)
{
    (void)state;
    for (const char *item = page; (item = strstr(item, "Ic ")); item += 3) {
        char name[64];
        bool known = false;

        if (sscanf(item, "Ic %63[a-z0-9-] No =", name) != 1 ||
            strncmp(item + 3 + strlen(name), " No =", 5) != 0)
            continue;
        for (size_t i = 0; i < n_options; i++)
            known |= strcmp(options[i].name, name) == 0;
        if (!known)
            fail_msg("%s is no option", name);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_option_is_described),
        cmocka_unit_test(test_every_range_is_described),
        cmocka_unit_test(test_every_default_is_described),
        cmocka_unit_test(test_no_other_option_is_described),
    };
    FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
    size_t size = 0;
    int r;

    if (!file || getdelim(&page, &size, '\0', file) <= 0) {
        fprintf(stderr, "usage: test-man PAGE\n");
        return 2;
    }
    fclose(file);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    free(page);
    return r;
}
