/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What may be asked for. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "entry/request.h"

#define HOME STATE_HOME_DIR "/a"
#define STREAMS "\"streams\":[0,1,2]"

static char *deny_env[] = { (char *)"ACTIONS_*", (char *)"CI_JOB_TOKEN", NULL };
static char *allow_env[] = { (char *)"*", NULL };
static char *allow_some[] = { (char *)"BUILD_*", NULL };

static const struct config config = { .run0 = { .deny_env = deny_env } };
static struct config_sandbox sandbox = { .name = (char *)"a", .allow_env = allow_env };

/* 1: it is not even of the right form. */
static int check(const char *json, struct request_refusal *refusal)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *variant = NULL;
    _cleanup_(request_done) struct request request = REQUEST_INIT;

    *refusal = (struct request_refusal){ "", "" };
    assert_int_equal(sd_json_parse(json, 0, &variant, NULL, NULL), 0);
    if (sd_json_dispatch(variant, request_fields, 0, &request) < 0)
        return 1;
    return request_check(&request, &config, &sandbox, refusal);
}

static void accepts(const char *json)
{
    struct request_refusal refusal;
    const int r = check(json, &refusal);

    if (r != 0)
        fail_msg("%s: %d: %s %s", json, r, refusal.parameter, refusal.why);
}

static void refuses(const char *json, int error, const char *parameter)
{
    struct request_refusal refusal;

    if (check(json, &refusal) != error)
        fail_msg("%s: not refused with %d but %s", json, error, refusal.why);
    assert_string_equal(refusal.parameter, parameter);
    assert_true(error == 1 || strlen(refusal.why) > 0);
}

static void test_form(void **state)
{
    (void)state;
    accepts("{" STREAMS "}");
    accepts("{\"terminal\":0}");
    accepts("{\"sandbox\":null,\"command\":null,\"directory\":null,\"environment\":null,"
            "\"terminal\":null,\"streams\":[3,3,3],\"timeoutUSec\":null,\"reap\":null}");
    accepts("{\"sandbox\":\"a\",\"command\":[\"a\",\"\",\"\\u0001\\n\"],\"timeoutUSec\":1,"
            "\"reap\":true," STREAMS "}");
    refuses("{}", -EINVAL, "streams");
    refuses("{\"terminal\":0," STREAMS "}", -EINVAL, "streams");
    refuses("{\"streams\":[]}", -EINVAL, "streams");
    refuses("{\"streams\":[0,1]}", 1, "");
    refuses("{\"streams\":[0,1,2,3]}", 1, "");
    refuses("{\"streams\":[0,1,-1]}", 1, "");
    refuses("{\"streams\":[0,1,4294967295]}", 1, "");
    refuses("{\"streams\":[0,1,\"2\"]}", 1, "");
    refuses("{\"streams\":\"012\"}", 1, "");
    refuses("{\"terminal\":-1}", 1, "");
    refuses("{\"terminal\":4294967296}", 1, "");
    refuses("{\"command\":\"a\"," STREAMS "}", 1, "");
    refuses("{\"command\":[1]," STREAMS "}", 1, "");
    refuses("{\"user\":\"root\"," STREAMS "}", 1, "");
    refuses("{\"timeoutUSec\":18446744073709551615," STREAMS "}", -EINVAL, "timeoutUSec");
}

static void test_command(void **state)
{
    _cleanup_free_ char *long_word = calloc(1, REQUEST_STRING_MAX + 2), *json = NULL;

    (void)state;
    accepts("{\"command\":[]," STREAMS "}");
    refuses("{\"command\":[\"\"]," STREAMS "}", -EINVAL, "command");
    memset(long_word, 'a', REQUEST_STRING_MAX);
    assert_true(asprintf(&json, "{\"command\":[\"a\",\"%s\"]," STREAMS "}", long_word) > 0);
    refuses(json, -EINVAL, "command");
    free(json);
    long_word[REQUEST_STRING_MAX - 1] = '\0';
    assert_true(asprintf(&json, "{\"command\":[\"a\",\"%s\"]," STREAMS "}", long_word) > 0);
    accepts(json);
    free(json);
    /* Nine of them are more than all may have. */
    assert_true(asprintf(&json,
                         "{\"command\":[\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\",\"%s\","
                         "\"%s\",\"%s\"]," STREAMS "}",
                         long_word, long_word, long_word, long_word, long_word, long_word,
                         long_word, long_word, long_word) > 0);
    refuses(json, -EINVAL, "command");
}

static void test_directory(void **state)
{
    static const char *const good[] = { "",    ".", "src", "a/b/",   "a//b",          "...",
                                        "..a", "~", HOME,  HOME "/", HOME "/a b/./c", "\xc3\xa4" };
    static const char *const bad[] = { "..",
                                       "../b",
                                       "a/..",
                                       "a/../../b",
                                       HOME "/..",
                                       HOME "b",
                                       HOME "/../b",
                                       "/",
                                       "/etc",
                                       "//",
                                       STATE_HOME_DIR,
                                       STATE_HOME_DIR "/b",
                                       "/proc/self/root",
                                       "a\\nb",
                                       "\\u007f",
                                       "\\u001b[2J" };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        _cleanup_free_ char *json = NULL;

        assert_true(asprintf(&json, "{\"directory\":\"%s\"," STREAMS "}", good[i]) > 0);
        accepts(json);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        _cleanup_free_ char *json = NULL;

        assert_true(asprintf(&json, "{\"directory\":\"%s\"," STREAMS "}", bad[i]) > 0);
        refuses(json, -EINVAL, "directory");
    }
}

static void test_environment(void **state)
{
    static const char *const never[] = { "ACTIONS_RUNTIME_TOKEN",
                                         "LD_PRELOAD",
                                         "LD_LIBRARY_PATH",
                                         "GCONV_PATH",
                                         "BASH_ENV",
                                         "ENV",
                                         "HOME",
                                         "USER",
                                         "XDG_RUNTIME_DIR",
                                         "SYSTEMD_X",
                                         "CI_JOB_TOKEN" };

    (void)state;
    sandbox.allow_env = allow_env;
    accepts("{\"environment\":[\"A=\",\"A=b=c\",\"B=\\n\\u0001\"]," STREAMS "}");
    refuses("{\"environment\":[\"A\"]," STREAMS "}", -EINVAL, "environment");
    refuses("{\"environment\":[\"=A\"]," STREAMS "}", -EINVAL, "environment");
    refuses("{\"environment\":[\"A B=C\"]," STREAMS "}", -EINVAL, "environment");
    refuses("{\"environment\":[\"1=C\"]," STREAMS "}", -EINVAL, "environment");
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        _cleanup_free_ char *json = NULL;

        assert_true(asprintf(&json, "{\"environment\":[\"A=\",\"%s=x\"]," STREAMS "}", never[i]) >
                    0);
        refuses(json, -EACCES, "environment");
    }

    sandbox.allow_env = allow_some;
    accepts("{\"environment\":[\"BUILD_ID=1\"]," STREAMS "}");
    refuses("{\"environment\":[\"BUILD=1\"]," STREAMS "}", -EACCES, "environment");
    /* The terminal's, as long as it is plain: its name becomes a path in the terminfo library. */
    accepts("{\"environment\":[\"TERM=xterm-256color\",\"COLORTERM=\",\"NO_COLOR=1\"]," STREAMS
            "}");
    refuses("{\"environment\":[\"TERM=../x\"]," STREAMS "}", -EACCES, "environment");
    refuses("{\"environment\":[\"TERMX=x\"]," STREAMS "}", -EACCES, "environment");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
