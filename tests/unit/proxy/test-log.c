/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/log.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-json.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "proxy/log-format.h"

/* A directory for the files, and a socket that stands for the journal. */
struct place {
    char directory[80];
    char journal[96];
    int journal_fd;
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
    struct place *place = calloc(1, sizeof *place);
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    assert_non_null(place);
    strcpy(place->directory, "/tmp/test-log-XXXXXX");
    assert_non_null(mkdtemp(place->directory));
    (void)snprintf(place->journal, sizeof place->journal, "%s/journal", place->directory);
    strcpy(address.sun_path, place->journal);
    place->journal_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(place->journal_fd, (struct sockaddr *)&address, sizeof address), 0);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;

    close(place->journal_fd);
    assert_int_equal(nftw(place->directory, remove_node, 8, FTW_DEPTH | FTW_PHYS), 0);
    free(place);
    return 0;
}

static struct log *open_log(const struct place *place)
{
    struct log *log = NULL;

    assert_int_equal(log_new(place->directory, "agent", place->journal, &log), 0);
    return log;
}

static const char *path_of(const struct place *place, const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", place->directory, name);
    return path;
}

static char *read_whole(const struct place *place, const char *name)
{
    _cleanup_fclose_ FILE *file = fopen(path_of(place, name), "re");
    char *text = NULL;
    size_t size = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    return text;
}

/* The next entry that the journal got, or "" when there is none. */
static const char *entry(const struct place *place)
{
    static char text[16384];
    ssize_t n = recv(place->journal_fd, text, sizeof text - 1, 0);

    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static const struct log_record fetch = {
    .begin_usec = 1764442800123456,
    .method = "POST",
    .host = "git.example",
    .port = 443,
    .path = "/a/git-upload-packX",
    .path_size = 18,
    .allowed = true,
    .rule = "git-fetch",
    .status = 200,
    .sent = 170,
    .received = 1ULL << 33,
    .usec = 12345,
};

static const struct log_record refused = {
    .begin_usec = 1764442801000000,
    .method = "PUT",
    .host = "a.example",
    .port = 8443,
    .path = "/",
    .path_size = 1,
    .rule = "",
    .reason = "no-write-rule",
    .status = 403,
};

#define FETCH_LINE                                                                                 \
    "{\"time\":\"2025-11-29T19:00:00.123456Z\",\"sandbox\":\"agent\","                             \
    "\"method\":\"POST\",\"host\":\"git.example\",\"port\":443,\"path\":\"/a/git-upload-pack\","   \
    "\"decision\":\"allowed\",\"rule\":\"git-fetch\",\"status\":200,\"sent\":170,"                 \
    "\"received\":8589934592,\"usec\":12345}"

static void test_a_record(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL;
    struct stat st;

    log_write(log, &fetch);
    log_write(log, &refused);
    log_free(log);
    text = read_whole(place, "agent.log");
    assert_string_equal(
        text, FETCH_LINE
        "\n{\"time\":\"2025-11-29T19:00:01.000000Z\",\"sandbox\":\"agent\",\"method\":\"PUT\","
        "\"host\":\"a.example\",\"port\":8443,\"path\":\"/"
        "\",\"decision\":\"refused\",\"rule\":\"\","
        "\"reason\":\"no-write-rule\",\"status\":403,\"sent\":0,\"received\":0,\"usec\":0}\n");
    assert_int_equal(stat(path_of(place, "agent.log"), &st), 0);
    assert_int_equal(st.st_mode & 07137, 0);

    const char *got = entry(place);
    assert_non_null(strstr(got, "PRIORITY=6\n"));
    assert_non_null(strstr(got, "MESSAGE=agent: passed POST git.example/a/git-upload-pack\n"));
    assert_non_null(strstr(got, "SANDBOX=agent\n"));
    assert_non_null(strstr(got, "EGRESS_DECISION=allowed\n"));
    assert_non_null(strstr(got, "EGRESS_HOST=git.example\n"));
    assert_non_null(strstr(got, "EGRESS_RECORD=" FETCH_LINE "\n"));
    assert_null(strstr(got, "EGRESS_REASON"));
    got = entry(place);
    assert_non_null(strstr(got, "PRIORITY=5\n"));
    assert_non_null(strstr(got, "MESSAGE=agent: refused PUT a.example:8443/: no-write-rule\n"));
    assert_non_null(strstr(got, "EGRESS_REASON=no-write-rule\n"));
    assert_string_equal(entry(place), "");
}

/* What a client sends stays in its string, its line and its field. */
static void test_hostile_text(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL, *path = malloc(100000);
    struct log_record record = { .method = "A\nPRIORITY=0", .host = "\"\\\x1b[31m\xc3\xa4" };
    sd_json_variant *parsed = NULL;

    memset(path, '\x01', 100000);
    record.path = path;
    record.path_size = 100000;
    record.reason = "malformed";
    record.detail = "%00\"}\n{\"a\":1}";
    log_write(log, &record);
    log_free(log);

    text = read_whole(place, "agent.log");
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_true(strlen(text) < 4096);
    for (const char *p = text; *p != '\n'; p++)
        assert_true(*p >= ' ' && *p <= '~');
    assert_true(sd_json_parse(text, 0, &parsed, NULL, NULL) >= 0);
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(parsed, "host")),
                        "\"\\%1B[31m%C3%A4");
    assert_string_equal(sd_json_variant_string(sd_json_variant_by_key(parsed, "method")),
                        "A%0APRIORITY=0");
    const char *cut = sd_json_variant_string(sd_json_variant_by_key(parsed, "path"));
    assert_true(strlen(cut) < LOG_TEXT_MAX);
    assert_string_equal(cut + strlen(cut) - 9, "%01%01...");
    sd_json_variant_unref(parsed);

    const char *got = entry(place);
    assert_null(strstr(got, "\nPRIORITY=0"));
    assert_non_null(strstr(got, "MESSAGE=agent: refused A%0APRIORITY=0 \"\\%1B[31m%C3%A4%01"));
}

static void test_nothing_known(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL;

    log_write(log, &(struct log_record){ 0 });
    log_free(log);
    text = read_whole(place, "agent.log");
    assert_string_equal(text, "{\"time\":\"1970-01-01T00:00:00.000000Z\",\"sandbox\":\"agent\","
                              "\"decision\":\"refused\",\"sent\":0,\"received\":0,\"usec\":0}\n");
    assert_non_null(strstr(entry(place), "MESSAGE=agent: refused - -\n"));
}

/* A full disk, made of a limit on the size of files. */
static void set_limit(rlim_t size)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_a_full_disk(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL, *expected = NULL;

    log_write(log, &fetch);
    (void)entry(place);
    set_limit(strlen(FETCH_LINE) + 20); /* the second record is torn */
    for (int i = 0; i < 3; i++)
        log_write(log, &fetch);
    assert_int_equal(log_lost(log), 3);
    set_limit(RLIM_INFINITY);

    /* It was told, once, and the journal has the records. */
    const char *got = entry(place);
    assert_non_null(strstr(got, "PRIORITY=3\n"));
    assert_non_null(strstr(got, "agent.log cannot be written: "));
    assert_non_null(strstr(got, "EGRESS_LOST=1\n"));
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(entry(place), "EGRESS_RECORD="));
    assert_string_equal(entry(place), "");

    log_write(log, &fetch);
    assert_int_equal(log_lost(log), 0);
    log_free(log);
    text = read_whole(place, "agent.log");
    char *lost = strstr(text, "{\"time\":\"20");
    lost = strstr(lost + 1, "\"lost\":3}\n" FETCH_LINE "\n");
    assert_non_null(lost);
    /* On lines of their own, whatever was torn. */
    assert_int_equal(strncmp(text, FETCH_LINE "\n", strlen(FETCH_LINE) + 1), 0);
    assert_int_equal(strncmp(text + strlen(FETCH_LINE) + 1, FETCH_LINE, 19), 0);
    assert_int_equal(text[strlen(FETCH_LINE) + 20], '\n');
}

static void test_the_last_count_is_written_at_the_end(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL;

    set_limit(0);
    log_write(log, &fetch);
    set_limit(RLIM_INFINITY);
    log_free(log);
    text = read_whole(place, "agent.log");
    assert_non_null(strstr(text, "\"lost\":1}\n"));
}

/* The directory is made after the proxy started. */
static void test_no_directory(void **state)
{
    struct place *place = *state, missing = *place;
    struct log *log = NULL;
    _cleanup_free_ char *text = NULL;

    strcat(missing.directory, "/d");
    log = open_log(&missing);
    assert_non_null(strstr(entry(place), "/d/agent.log cannot be written: No such file"));
    log_write(log, &fetch);
    assert_int_equal(log_lost(log), 1);
    assert_int_equal(mkdir(missing.directory, 0700), 0);
    log_write(log, &fetch);
    assert_int_equal(log_lost(log), 0);
    log_free(log);
    text = read_whole(&missing, "agent.log");
    assert_non_null(strstr(text, "\"lost\":1}\n" FETCH_LINE "\n"));
}

static void test_after_a_process_that_was_killed(void **state)
{
    struct place *place = *state;
    _cleanup_fclose_ FILE *file = fopen(path_of(place, "agent.log"), "we");
    _cleanup_free_ char *text = NULL;
    struct log *log;

    fputs("{\"time\":\"half", file);
    fflush(file);
    log = open_log(place);
    log_write(log, &fetch);
    log_free(log);
    text = read_whole(place, "agent.log");
    assert_string_equal(text, "{\"time\":\"half\n" FETCH_LINE "\n");
}

static void test_not_a_file(void **state)
{
    struct place *place = *state;
    struct log *log;

    assert_int_equal(symlink("/dev/null", path_of(place, "agent.log")), 0);
    log = open_log(place);
    log_write(log, &fetch);
    assert_int_equal(log_lost(log), 1);
    log_free(log);
    assert_int_equal(unlink(path_of(place, "agent.log")), 0);
    assert_int_equal(mkfifo(path_of(place, "agent.log"), 0600), 0);
    log = open_log(place);
    log_write(log, &fetch);
    assert_int_equal(log_lost(log), 1);
    log_free(log);
}

static void test_rotation(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    _cleanup_free_ char *text = NULL;
    struct stat st;

    log_write(log, &fetch);
    log_free(log);
    assert_int_equal(truncate(path_of(place, "agent.log"), LOG_FILE_MAX), 0);
    log = open_log(place);
    log_write(log, &refused);
    log_write(log, &refused);
    log_free(log);
    assert_int_equal(stat(path_of(place, "agent.log.1"), &st), 0);
    assert_int_equal(st.st_size, LOG_FILE_MAX);
    text = read_whole(place, "agent.log");
    assert_int_equal(strncmp(text, "{\"time\":\"2025-11-29T19:00:01", 28), 0);
    assert_non_null(strchr(strchr(text, '\n') + 1, '\n'));
}

/* Where the old file cannot be replaced, the file is emptied. */
static void test_rotation_without_room_for_the_old_one(void **state)
{
    struct place *place = *state;
    _cleanup_free_ char *text = NULL;
    struct log *log;

    assert_int_equal(mkdir(path_of(place, "agent.log.1"), 0700), 0);
    log = open_log(place);
    log_write(log, &fetch);
    log_free(log);
    assert_int_equal(truncate(path_of(place, "agent.log"), LOG_FILE_MAX), 0);
    log = open_log(place);
    log_write(log, &fetch);
    log_free(log);
    text = read_whole(place, "agent.log");
    assert_string_equal(text, FETCH_LINE "\n");
}

/* Of either kind as many as that, and then how many there were. */
static void test_the_journal_is_not_flooded(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    unsigned passed = 0, not_passed = 0, told = 0;
    int size = 64 << 20;

    /* The queue of a datagram socket is short: it is read as it is filled. */
    assert_int_equal(setsockopt(place->journal_fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size), 0);
    for (unsigned i = 0; i < 2 * LOG_JOURNAL_BURST; i++) {
        log_write(log, &fetch);
        log_write(log, &refused);
        for (const char *got; *(got = entry(place));) {
            passed += !!strstr(got, "PRIORITY=6\n");
            not_passed += !!strstr(got, "PRIORITY=5\n");
            assert_null(strstr(got, "EGRESS_LOST="));
        }
    }
    assert_int_equal(passed, LOG_JOURNAL_BURST);
    assert_int_equal(not_passed, LOG_JOURNAL_BURST);
    assert_int_equal(log_lost(log), 0);
    log_free(log);
    for (const char *got; *(got = entry(place)); told++)
        assert_non_null(strstr(got, "EGRESS_LOST=2000\n"));
    assert_int_equal(told, 1);
}

/* Nor is it waited for. */
static void test_a_journal_that_does_not_read(void **state)
{
    struct place *place = *state;
    struct log *log = open_log(place);
    unsigned got = 0;

    alarm(60);
    for (int i = 0; i < 900; i++)
        log_write(log, &fetch);
    assert_int_equal(log_lost(log), 0);
    while (*entry(place))
        got++;
    assert_true(got < 900);
    log_write(log, &fetch);
    char field[64];
    (void)snprintf(field, sizeof field, "EGRESS_LOST=%u\n", 900 - got);
    assert_non_null(strstr(entry(place), field));
    assert_non_null(strstr(entry(place), "EGRESS_RECORD="));
    log_free(log);
    alarm(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_a_record),
        TEST(test_hostile_text),
        TEST(test_nothing_known),
        TEST(test_a_full_disk),
        TEST(test_the_last_count_is_written_at_the_end),
        TEST(test_no_directory),
        TEST(test_after_a_process_that_was_killed),
        TEST(test_not_a_file),
        TEST(test_rotation),
        TEST(test_rotation_without_room_for_the_old_one),
        TEST(test_the_journal_is_not_flooded),
        TEST(test_a_journal_that_does_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
