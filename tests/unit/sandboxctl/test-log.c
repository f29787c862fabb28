/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The proxies' logs as sandboxctl reads them. */
#include "conf/cleanup.h"
#include "sandboxctl/log-file.h"
#include "sandboxctl/log-summary.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define PASSED                                                                                     \
    "{\"time\":\"2025-11-29T19:00:00.123456Z\",\"sandbox\":\"agent\","                             \
    "\"method\":\"POST\",\"host\":\"git.example\",\"port\":443,\"path\":\"/a\","                   \
    "\"decision\":\"allowed\",\"rule\":\"git-fetch\",\"status\":200,\"sent\":170,"                 \
    "\"received\":2048,\"usec\":12345}"
#define REFUSED                                                                                    \
    "{\"time\":\"2025-11-29T19:00:01.000000Z\",\"sandbox\":\"agent\",\"method\":\"PUT\","          \
    "\"host\":\"a.example\",\"port\":8443,\"path\":\"/\",\"decision\":\"refused\",\"rule\":\"\","  \
    "\"reason\":\"no-write-rule\",\"status\":403,\"sent\":0,\"received\":0,\"usec\":0}"
#define FAILED                                                                                     \
    "{\"time\":\"2025-11-29T19:00:02.000000Z\",\"sandbox\":\"agent\",\"method\":\"GET\","          \
    "\"host\":\"a.example\",\"port\":443,\"path\":\"/\",\"decision\":\"allowed\","                 \
    "\"rule\":\"read\",\"reason\":\"unreachable\",\"detail\":\"no route\",\"status\":502,"         \
    "\"sent\":0,\"received\":0,\"usec\":0}"
#define LOST "{\"time\":\"2025-11-29T19:00:03.000000Z\",\"sandbox\":\"agent\",\"lost\":3}"

static void prints(const char *line, bool color, const char *expected)
{
    _cleanup_(log_entry_done) struct log_entry entry = {};
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(log_entry_parse(line, &entry), 0);
    log_entry_print(&entry, color, out);
    fclose(out);
    assert_string_equal(text, expected);
}

static void test_lines(void **state)
{
    (void)state;
    prints(PASSED, false,
           "2025-11-29T19:00:00 agent passed POST git.example/a 200 12ms 170B+2K (git-fetch)\n");
    prints(REFUSED, false,
           "2025-11-29T19:00:01 agent refused PUT a.example:8443/ 403 0ms 0B+0B (no-write-rule)\n");
    prints(
        FAILED, false,
        "2025-11-29T19:00:02 agent failed GET a.example/ 502 0ms 0B+0B (unreachable) no route\n");
    prints(LOST, false, "2025-11-29T19:00:03 agent lost 3 records before this one\n");
    prints(PASSED, true,
           "2025-11-29T19:00:00 agent passed POST git.example/a 200 12ms 170B+2K (git-fetch)\n");
    prints(LOST, true, "\033[33m2025-11-29T19:00:03 agent lost 3 records before this one\033[0m\n");
}

/* Whoever wrote it, a terminal sees characters alone. */
static void test_hostile_lines(void **state)
{
    static const char *const wrong[] = {
        "",
        "{",
        "[]",
        "7",
        "{}",
        "{\"time\":\"x\"}",
        "{\"decision\":\"allowed\"}",
        "{\"time\":7,\"decision\":\"allowed\"}",
        "{\"time\":\"half",
        "\xff\xfe",
    };

    (void)state;
    prints("{\"time\":\"\\u001b[31m\",\"decision\":\"x\\u0007\",\"host\":\"a\\nb\\u00e4\\u007f\","
           "\"port\":-1,\"usec\":\"x\",\"reason\":[1]}",
           false, "?[31m  refused - a?b??? 0ms 0B+0B ()\n");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct log_entry entry;

        assert_int_equal(log_entry_parse(wrong[i], &entry), -EINVAL);
    }
}

static void test_summary(void **state)
{
    static const char *const lines[] = { PASSED, PASSED, PASSED, REFUSED, FAILED, LOST, LOST };
    _cleanup_(log_summary_done) struct log_summary summary = {};
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        _cleanup_(log_entry_done) struct log_entry entry = {};

        assert_int_equal(log_entry_parse(lines[i], &entry), 0);
        assert_int_equal(log_summary_add(&summary, &entry), 0);
    }
    assert_int_equal(log_summary_print(&summary, out), 0);
    fclose(out);
    assert_string_equal(text, "HOST         PASSED  REFUSED  FAILED  SENT  RECEIVED\n"
                              "a.example    0       1        1       0B    0B\n"
                              "git.example  3       0        0       510B  6K\n"
                              "6 records were lost; the journal says why\n");
}

static void test_any_number_of_hosts(void **state)
{
    _cleanup_(log_summary_done) struct log_summary summary = {};
    _cleanup_free_ char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    char host[32];

    (void)state;
    for (int i = 0; i < LOG_SUMMARY_HOSTS + 5; i++) {
        const struct log_entry entry = { .host = host };

        snprintf(host, sizeof(host), "h%05d.example", i);
        assert_int_equal(log_summary_add(&summary, &entry), 0);
    }
    assert_int_equal(log_summary_print(&summary, out), 0);
    fclose(out);
    const char *last = strstr(text, "\nothers ");
    assert_non_null(last);
    assert_int_equal(strspn(last + 8, " 5"), strcspn(last + 8, "0"));
}

struct place {
    char path[32];
    int fd;
};

static int remove_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));

    strcpy(place->path, "/tmp/test-log-XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;

    close(place->fd);
    assert_int_equal(nftw(place->path, remove_node, 8, FTW_DEPTH | FTW_PHYS), 0);
    free(place);
    return 0;
}

static void append(const struct place *place, const char *name, const char *text)
{
    int fd = openat(place->fd, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* What there is now, a line each. */
static void reads(struct log_file *file, const char *expected)
{
    char got[256] = "";
    int r;

    while ((r = log_file_next(file)) > 0)
        strcat(strcat(got, file->line), "\n");
    assert_int_equal(r, 0);
    assert_string_equal(got, expected);
}

static void test_old_and_new(void **state)
{
    struct place *place = *state;
    _cleanup_(log_file_close) struct log_file file = {};

    append(place, "a.log.1", "1\n2\n");
    append(place, "a.log", "3\n");
    assert_int_equal(log_file_open(place->fd, "a", &file), 0);
    reads(&file, "1\n2\n3\n");
    append(place, "a.log", "4\nhal");
    reads(&file, "4\n");
    append(place, "a.log", "f\n\n");
    reads(&file, "half\n\n");
}

/* It was moved, and nothing was written since. */
static void test_old_alone(void **state)
{
    struct place *place = *state;
    _cleanup_(log_file_close) struct log_file file = {};

    append(place, "a.log.1", "1\n");
    assert_int_equal(log_file_open(place->fd, "a", &file), 0);
    reads(&file, "1\n");
    reads(&file, "");
    append(place, "a.log", "2\n");
    reads(&file, "2\n");
}

static void test_rotation(void **state)
{
    struct place *place = *state;
    _cleanup_(log_file_close) struct log_file file = {};

    append(place, "a.log", "1\n");
    assert_int_equal(log_file_open(place->fd, "a", &file), 0);
    reads(&file, "1\n");
    append(place, "a.log", "2\n");
    assert_int_equal(renameat(place->fd, "a.log", place->fd, "a.log.1"), 0);
    reads(&file, "2\n");
    append(place, "a.log", "3\n");
    reads(&file, "3\n");
    /* Emptied in place, where it could not be moved. */
    int fd = openat(place->fd, "a.log", O_WRONLY | O_TRUNC | O_CLOEXEC);
    close(fd);
    append(place, "a.log", "4");
    reads(&file, "");
    append(place, "a.log", "\n");
    reads(&file, "4\n");
}

static void test_no_log(void **state)
{
    struct place *place = *state;
    struct log_file file = {};

    assert_int_equal(log_file_open(place->fd, "a", &file), -ENOENT);
    log_file_close(&file);
    assert_int_equal(log_file_open(place->fd, "../a", &file), -ENOENT);
    log_file_close(&file);
    assert_int_equal(mkfifoat(place->fd, "a.log", 0600), 0);
    assert_int_equal(log_file_open(place->fd, "a", &file), -ENOENT);
    log_file_close(&file);
    assert_int_equal(symlinkat("/etc/passwd", place->fd, "b.log"), 0);
    assert_int_equal(log_file_open(place->fd, "b", &file), -ELOOP);
    log_file_close(&file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_hostile_lines),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_any_number_of_hosts),
        TEST(test_old_and_new),
        TEST(test_old_alone),
        TEST(test_rotation),
        TEST(test_no_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
