/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of rules, and what has to agree with it: catalog and manual page. */
#include "bpf/denial-rules.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/denial-entry.h"
#include "bpf/denial-message.h"
#include "conf/cleanup.h"

/* A file of the tree with every run of blanks as one, and without the backslashes of troff. */
static char *read_text(const char *file)
{
    _cleanup_free_ char *path = NULL;
    char *text = NULL, *out;
    size_t size = 0;

    assert_true(asprintf(&path, "%s/%s", getenv("SOURCE_ROOT"), file) > 0);
    _cleanup_fclose_ FILE *stream = fopen(path, "re");
    assert_non_null(stream);
    assert_true(getdelim(&text, &size, '\0', stream) > 0);

    out = text;
    for (const char *in = text; *in; in++) {
        if (*in == '\\')
            continue;
        if (!isspace((unsigned char)*in))
            *out++ = *in;
        else if (out > text && out[-1] != ' ')
            *out++ = ' ';
    }
    *out = '\0';
    return text;
}

static void assert_says(const char *text, const char *what, const char *words)
{
    if (!strstr(text, words))
        fail_msg("%s does not say \"%s\"", what, words);
}

/* Every field that an entry can have. */
static void make_all(struct denial_entry *one, struct denial_entry *process,
                     struct denial_entry *rest)
{
    const struct denial_context context = { .sandbox = "agent", .path = "/x" };
    struct denial denial = { .sandbox = 59000, .object_kind = OBJECT_IN_DEVICE, .inode = 1 };

    assert_int_equal(denial_entry_make(&denial, &context, one), 0);
    denial.program = PROGRAM_READS;
    denial.object_kind = OBJECT_PROCESS;
    assert_int_equal(denial_entry_make(&denial, &context, process), 0);
    assert_int_equal(denial_entry_make_rest(59000, "agent", 1, rest), 0);
}

static bool has_field(const struct denial_entry *entry, const char *name, size_t length)
{
    for (size_t i = 0; i < entry->n_fields; i++) {
        const char *base = entry->fields[i].iov_base;
        if (strncmp(base, name, length) == 0 && base[length] == '=')
            return true;
    }
    return false;
}

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        const struct denial_rule *rule = &denial_rules[i];

        assert_non_null(rule->program);
        /* They become parts of a sentence. */
        assert_true(islower((unsigned char)rule->what[0]));
        assert_true(rule->what[strlen(rule->what) - 1] != '.');
        assert_true(rule->allowed[strlen(rule->allowed) - 1] != '.');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rule->program, denial_rules[j].program);
    }
}

static void test_manual(void **state)
{
    _cleanup_free_ char *manual = read_text("bpf/pam-sandbox-denials.8");
    struct denial_entry entries[3];

    (void)state;
    for (size_t i = 0; i < N_PROGRAMS; i++) {
        char words[1024];

        snprintf(words, sizeof(words), ".TP .B %s %s. Allowed by: %s.", denial_rules[i].program,
                 denial_rules[i].what, denial_rules[i].allowed);
        words[strlen(".TP .B ") + strlen(denial_rules[i].program) + 1] =
            (char)toupper((unsigned char)denial_rules[i].what[0]);
        assert_says(manual, "the manual page", words);
    }
    assert_says(manual, "the manual page", DENIAL_MESSAGE_ID);
    assert_says(manual, "the manual page", DENIAL_MESSAGE_ID_REST);

    make_all(&entries[0], &entries[1], &entries[2]);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < entries[i].n_fields; j++) {
            char tag[64];
            const char *name = entries[i].fields[j].iov_base;

            snprintf(tag, sizeof(tag), " %.*s= ", (int)strcspn(name, "="), name);
            assert_says(manual, "the manual page", tag);
        }
}

/* The entry of a catalog: from its id to the next. */
static char *catalog_entry(const char *catalog, const char *id)
{
    char begin[64];

    snprintf(begin, sizeof(begin), "-- %s ", id);
    const char *entry = strstr(catalog, begin);
    if (!entry)
        fail_msg("the catalog has no entry %s", id);
    const char *end = strstr(entry + 1, " -- ");
    return strndup(entry, end ? (size_t)(end - entry) : strlen(entry));
}

/* journalctl puts fields of the entry in place of @FIELD@. */
static void assert_fields_are_set(const char *text, const struct denial_entry *entry)
{
    size_t n = 0;

    for (const char *name = strchr(text, '@'); name; name = strchr(name, '@')) {
        size_t length = strcspn(++name, "@");

        if (!has_field(entry, name, length))
            fail_msg("no entry has the catalog's @%.*s@", (int)length, name);
        name += length + 1;
        n++;
    }
    assert_true(n > 0);
}

static void test_catalog(void **state)
{
    _cleanup_free_ char *catalog = read_text("units/pam-sandbox.catalog");
    _cleanup_free_ char *text_of_one = catalog_entry(catalog, DENIAL_MESSAGE_ID);
    _cleanup_free_ char *text_of_rest = catalog_entry(catalog, DENIAL_MESSAGE_ID_REST);
    struct denial_entry one, process, rest;

    (void)state;
    make_all(&one, &process, &rest);
    assert_says(text_of_one, "the catalog", "What would allow it: @DENIED_RULE@.");
    assert_fields_are_set(text_of_one, &one);
    assert_fields_are_set(text_of_one, &process);
    assert_fields_are_set(text_of_rest, &rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_catalog),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
