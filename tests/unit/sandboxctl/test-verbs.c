/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of verbs, the parsing that follows from it, and what has to agree with it. */
#include "conf/cleanup.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *run(const char *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *pipe = popen(command, "re");

    assert_non_null(pipe);
    if (getdelim(&text, &size, '\0', pipe) < 0) {
        free(text);
        text = strdup("");
    }
    assert_int_equal(pclose(pipe), 0);
    return text;
}

/* Calls verb_getopt() until it is done; what it printed on stderr is in message. */
static int parse(char **argv, int *options, char message[static 256])
{
    int argc = 0, c, saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();

    while (argv[argc])
        argc++;
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    optind = 0; /* glibc: begin anew */
    while ((c = verb_getopt(argc, argv)) != -1 && c != '?')
        *options++ = c;
    *options = 0;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    if (!fgets(message, 256, file))
        *message = '\0';
    fclose(file);
    return c;
}

static void test_table(void **state)
{
    (void)state;
    for (const struct verb *v = verbs; v->name; v++) {
        assert_ptr_equal(verb_find(v->name), v); /* no second one of that name */
        assert_true(*v->summary && v->summary[strlen(v->summary) - 1] != '.');
        assert_int_equal(*v->operands != '\0', v->max_operands != 0);
        for (const struct verb_option *o = v->options; o->name; o++)
            for (const struct verb_option *p = v->options; p < o; p++)
                assert_string_not_equal(o->name, p->name);
    }
    assert_null(verb_find("enter"));
    assert_null(verb_find(""));
}

static void test_every_option_parses(void **state)
{
    (void)state;
    for (const struct verb *v = verbs; v->name; v++)
        for (const struct verb_option *o = v->options; o->name; o++) {
            char name[32], word[64], message[256];
            char *argv[] = { name, word, NULL };
            int options[4];

            snprintf(name, sizeof(name), "%s", v->name);
            snprintf(word, sizeof(word), "--%s%s", o->name, o->argument ? "=x" : "");
            assert_int_equal(parse(argv, options, message), -1);
            assert_string_equal(message, "");
            assert_int_equal(options[0], o->value);
            assert_int_equal(options[1], 0);
        }
}

static void test_operands(void **state)
{
    char message[256];
    int options[4];

    (void)state;
    char *shows[] = { "show", "a", "--in-force", NULL };
    assert_int_equal(parse(shows, options, message), -1);
    assert_int_equal(options[0], OPTION_IN_FORCE);
    assert_string_equal(shows[optind], "a");

    char *many[] = { "reap", "a", "b", "c", NULL };
    assert_int_equal(parse(many, options, message), -1);
    assert_string_equal(many[optind], "a");

    char *dashes[] = { "show", "--", "--in-force", NULL };
    assert_int_equal(parse(dashes, options, message), -1);
    assert_int_equal(options[0], 0);
    assert_string_equal(dashes[optind], "--in-force");
}

static void assert_refused(char **argv, const char *expected)
{
    char message[256];
    int options[4];

    assert_int_equal(parse(argv, options, message), '?');
    assert_string_equal(message, expected);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused((char *[]){ "status", "--jason", NULL },
                   "sandboxctl status: unknown option --jason; see sandboxctl status --help\n");
    assert_refused((char *[]){ "status", "-xy", NULL },
                   "sandboxctl status: unknown option -x; see sandboxctl status --help\n");
    assert_refused((char *[]){ "status", "--json=yes", NULL },
                   "sandboxctl status: --json=yes takes no value; see sandboxctl status --help\n");
    assert_refused((char *[]){ "show", "--root", NULL },
                   "sandboxctl show: --root needs a value; see sandboxctl show --help\n");
    assert_refused((char *[]){ "show", "a", "b", NULL },
                   "sandboxctl show: unexpected argument \"b\"; see sandboxctl show --help\n");
    assert_refused((char *[]){ "apply", "now", NULL },
                   "sandboxctl apply: unexpected argument \"now\"; see sandboxctl apply --help\n");
    /* Another verb's option is unknown here. */
    assert_refused((char *[]){ "status", "--dry-run", NULL },
                   "sandboxctl status: unknown option --dry-run; see sandboxctl status --help\n");
}

static void test_help(void **state)
{
    _cleanup_free_ char *text = NULL;
    size_t size;

    (void)state;
    FILE *out = open_memstream(&text, &size);
    verbs_print_help(out);
    for (const struct verb *v = verbs; v->name; v++)
        verb_print_help(v, out);
    fclose(out);
    for (const struct verb *v = verbs; v->name; v++) {
        assert_non_null(strstr(text, v->summary));
        for (const struct verb_option *o = v->options; o->name; o++)
            assert_non_null(strstr(text, o->help));
    }
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        assert_true(strcspn(line, "\n") <= 80);
    }
}

/* The manual page's source without the backslashes before its dashes. */
static char *read_manual(void)
{
    _cleanup_free_ char *command = NULL;

    assert_true(asprintf(&command, "tr -d '\\\\' <'%s/sandboxctl/sandboxctl.8'",
                         getenv("SOURCE_ROOT")) > 0);
    return run(command);
}

static void test_manual(void **state)
{
    _cleanup_free_ char *manual = read_manual();

    (void)state;
    for (const struct verb *v = verbs; v->name; v++) {
        char *synopsis = NULL, *text = NULL;

        assert_true(asprintf(&synopsis, ".SY sandboxctl\n.B %s\n", v->name) > 0);
        assert_non_null(strstr(manual, synopsis));
        free(synopsis);

        /* The verb's own paragraph: from its tag to the next verb's. */
        assert_true(asprintf(&text, ".TP\n.B%s %s%s", *v->operands ? "R" : "", v->name,
                             *v->operands ? " \"" : "\n") > 0);
        const char *paragraph = strstr(manual, text);
        if (!paragraph)
            fail_msg("sandboxctl.8 has no paragraph \"%s\"", text);
        free(text);
        for (const struct verb_option *o = v->options; o->name; o++) {
            char name[64];

            snprintf(name, sizeof(name), "--%s", o->name);
            const char *found = strstr(paragraph, name);
            for (const struct verb *w = v + 1; w->name && found; w++) {
                char tag[64];

                snprintf(tag, sizeof(tag), ".TP\n.B%s %s", *w->operands ? "R" : "", w->name);
                const char *other = strstr(paragraph, tag);
                assert_true(!other || found < other);
            }
            if (!found)
                fail_msg("sandboxctl.8 does not describe %s of %s", name, v->name);
        }
    }
}

/* What bash offers for the last of words, one a line. */
static char *complete(const char *words, int n_words)
{
    _cleanup_free_ char *command = NULL;

    assert_true(asprintf(&command,
                         "bash -c 'source \"$SOURCE_ROOT/sandboxctl/completion.bash\";"
                         " COMP_WORDS=(%s); COMP_CWORD=%d; _sandboxctl;"
                         " printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
                         words, n_words - 1) > 0);
    return run(command);
}

static void test_completion(void **state)
{
    _cleanup_free_ char *expected = strdup(""), *offered = complete("sandboxctl \"\"", 2);

    (void)state;
    for (const struct verb *v = verbs; v->name; v++) {
        char *more;

        assert_true(asprintf(&more, "%s%s\n", expected, v->name) > 0);
        free(expected);
        expected = more;
    }
    char *end = strstr(offered, "--help\n--version\n");
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(offered, expected);

    for (const struct verb *v = verbs; v->name; v++) {
        _cleanup_free_ char *words = NULL, *options = NULL, *table = NULL;
        size_t size;

        FILE *out = open_memstream(&table, &size);
        for (const struct verb_option *o = v->options; o->name; o++)
            fprintf(out, "--%s%s\n", o->name, o->argument && *o->argument != '[' ? "=" : "");
        fputs("--help\n", out);
        fclose(out);
        assert_true(asprintf(&words, "sandboxctl %s --", v->name) > 0);
        options = complete(words, 3);
        assert_string_equal(options, table);
    }
}

static void test_completion_of_words(void **state)
{
    (void)state;
    _cleanup_free_ char *verb = complete("sandboxctl ap", 2);
    assert_string_equal(verb, "apply\n");
    /* "=" is a word to bash. */
    _cleanup_free_ char *directory = complete("sandboxctl show --root = /us", 5);
    assert_string_equal(directory, "/usr\n");
    _cleanup_free_ char *unknown = complete("sandboxctl nonsense --", 3);
    assert_string_equal(unknown, "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),      cmocka_unit_test(test_every_option_parses),
        cmocka_unit_test(test_operands),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_help),       cmocka_unit_test(test_manual),
        cmocka_unit_test(test_completion), cmocka_unit_test(test_completion_of_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
