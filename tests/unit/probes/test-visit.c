/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is made of a session's answers, the odd ones above all. */
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* A session that has said all this already, and then ended. */
static void open_visit(struct visit *visit, const char *answers)
{
    *visit = (struct visit){
        .in = open("/dev/null", O_WRONLY | O_CLOEXEC),
        .out = memfd_create("answers", MFD_CLOEXEC),
    };
    assert_true(visit->in >= 0);
    assert_int_equal(write(visit->out, answers, strlen(answers)), strlen(answers));
    assert_int_equal(lseek(visit->out, 0, SEEK_SET), 0);
}

static void close_visit(struct visit *visit)
{
    close(visit->in);
    close(visit->out);
}

static void test_ask(void **state)
{
    static const struct {
        const char *answer;
        enum attempt_result result;
        bool broken;
    } cases[] = {
        { "refused: x\ndone\n", ATTEMPT_REFUSED, false },
        { "ready\nthrough: x\ndone\n", ATTEMPT_THROUGH, false },
        { "untried: x\ndone\n", ATTEMPT_UNTRIED, false },
        { "done\n", ATTEMPT_UNTRIED, false },
        { "refused\nrefused:\nrefused:x\n refused: x\ndone\n", ATTEMPT_UNTRIED, false },
        { "", ATTEMPT_UNTRIED, true },
        { "refused: x\n", ATTEMPT_UNTRIED, true },
        { "refused: x\ndone", ATTEMPT_UNTRIED, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct call call = CALL("sudo");
        struct visit visit;

        open_visit(&visit, cases[i].answer);
        visit_ask(&visit, &call);
        assert_int_equal(call.result, cases[i].result);
        assert_int_equal(visit.broken, cases[i].broken);
        assert_true(*call.text);
        close_visit(&visit);
    }
}

/* An attempt that answers twice must not answer for the next one. */
static void test_ask_again(void **state)
{
    struct call first = CALL("sudo"), second = CALL("run0"), third = CALL("at");
    struct visit visit;

    (void)state;
    open_visit(&visit, "refused: one\nthrough: two\ndone\nthrough: three\ndone\n");
    visit_ask(&visit, &first);
    visit_ask(&visit, &second);
    visit_ask(&visit, &third);
    assert_int_equal(first.result, ATTEMPT_REFUSED);
    assert_string_equal(first.text, "one");
    assert_int_equal(second.result, ATTEMPT_THROUGH);
    assert_string_equal(second.text, "three");
    assert_int_equal(third.result, ATTEMPT_UNTRIED);
    close_visit(&visit);
}

static void test_too_many_words(void **state)
{
    char word[5000];
    struct call call = CALL("write", word);
    struct visit visit;

    (void)state;
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    open_visit(&visit, "refused: x\ndone\n");
    visit_ask(&visit, &call);
    assert_int_equal(call.result, ATTEMPT_UNTRIED);
    close_visit(&visit);
}

/* A session that prints for ever, when its time is over. */
static void test_deadline(void **state)
{
    struct visit visit;
    char line[64];

    (void)state;
    open_visit(&visit, "noise\nnoise\n");
    clock_gettime(CLOCK_MONOTONIC, &visit.deadline);
    visit.deadline.tv_sec += 60;
    assert_true(visit_line(&visit, line, sizeof line));
    assert_string_equal(line, "noise");
    close_visit(&visit);

    open_visit(&visit, "noise\n");
    clock_gettime(CLOCK_MONOTONIC, &visit.deadline);
    assert_false(visit_line(&visit, line, sizeof line));
    close_visit(&visit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask),
        cmocka_unit_test(test_ask_again),
        cmocka_unit_test(test_too_many_words),
        cmocka_unit_test(test_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
