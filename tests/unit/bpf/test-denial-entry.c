/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a record to the journal's fields; the records that a hostile process can bring about. */
#include "bpf/denial-entry.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "bpf/denial-message.h"
#include "bpf/denial-rules.h"

static const struct denial_context agent = { .sandbox = "agent",
                                             .realtime_usec = 1767323045000678 };
static const struct denial_context unknown = { 0 };

/* A record of "sh"[1234] of sandbox 59000, about an object. */
static struct denial record(enum policy_program program, enum denial_object kind,
                            const char *object)
{
    struct denial denial = {
        .sandbox = 59000,
        .uid = 59000,
        .pid = 1234,
        .program = (__u8)program,
        .object_kind = (__u8)kind,
        .object_length = (__u16)strlen(object),
        .comm = "sh",
    };

    memcpy(denial.object, object, strlen(object));
    return denial;
}

/* A field's value; NULL: it is not there. In one buffer, which the next call reuses. */
static const char *field(const struct denial_entry *entry, const char *name)
{
    static char value[4096];
    size_t length = strlen(name);

    for (size_t i = 0; i < entry->n_fields; i++) {
        const char *base = entry->fields[i].iov_base;
        size_t size = entry->fields[i].iov_len;

        assert_true(size < sizeof(value));
        if (size <= length || memcmp(base, name, length) != 0 || base[length] != '=')
            continue;
        memcpy(value, base + length + 1, size - length - 1);
        value[size - length - 1] = '\0';
        return value;
    }
    return NULL;
}

static void assert_field(const struct denial_entry *entry, const char *name, const char *expected)
{
    const char *value = field(entry, name);

    if (!value)
        fail_msg("there is no field %s", name);
    assert_string_equal(value, expected);
}

static void assert_printable(const struct denial_entry *entry)
{
    for (size_t i = 0; i < entry->n_fields; i++) {
        const char *base = entry->fields[i].iov_base;
        for (size_t j = 0; j < entry->fields[i].iov_len; j++)
            assert_in_range((unsigned char)base[j], ' ', '~');
    }
}

static void assert_message(const struct denial *denial, const struct denial_context *context,
                           const char *expected)
{
    struct denial_entry entry;

    assert_int_equal(denial_entry_make(denial, context, &entry), 0);
    assert_field(&entry, "MESSAGE", expected);
}

static void test_world_write(void **state)
{
    struct denial denial = record(PROGRAM_WORLD_WRITE, OBJECT_IN_DEVICE, "/srv/x");
    struct denial_entry entry;

    (void)state;
    denial.device = 8 << 20 | 1;
    denial.inode = 4711;
    denial.object_uid = 7;
    denial.detail = 0100666;
    assert_int_equal(denial_entry_make(&denial, &agent, &entry), 0);
    assert_field(&entry, "MESSAGE_ID", DENIAL_MESSAGE_ID);
    assert_field(&entry, "PRIORITY", "5");
    assert_field(&entry, "SANDBOX", "agent");
    assert_field(&entry, "SANDBOX_UID", "59000");
    assert_field(&entry, "DENIED_PROGRAM", "world-write");
    assert_field(&entry, "DENIED_WHAT", denial_rules[PROGRAM_WORLD_WRITE].what);
    assert_field(&entry, "DENIED_RULE", denial_rules[PROGRAM_WORLD_WRITE].allowed);
    assert_field(&entry, "DENIED_REALTIME_USEC", "1767323045000678");
    assert_field(&entry, "DENIED_UID", "59000");
    assert_field(&entry, "DENIED_PID", "1234");
    assert_field(&entry, "DENIED_COMM", "sh");
    assert_field(&entry, "DENIED_OBJECT", "/srv/x");
    assert_field(&entry, "DENIED_OBJECT_KIND", "device");
    assert_field(&entry, "DENIED_OBJECT_UID", "7");
    assert_field(&entry, "DENIED_OBJECT_DEVICE", "8:1");
    assert_field(&entry, "DENIED_OBJECT_INODE", "4711");
    assert_field(&entry, "DENIED_DETAIL", "33206");
    assert_field(&entry, "DENIED_DROPPED", "0");
    assert_null(field(&entry, "DENIED_OBJECT_PID"));
    assert_null(field(&entry, "DENIED_OBJECT_PATH"));
    assert_field(&entry, "MESSAGE",
                 "Denied to sandbox agent: writing what everybody may write, \"/srv/x\" on device "
                 "8:1 (of uid 7, mode 0666), by \"sh\"[1234] of uid 59000");
}

static void test_messages(void **state)
{
    (void)state;
    struct denial denial = record(PROGRAM_SET_ID, OBJECT_PATH, "/usr/bin/su");
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: running a program that gains privilege, "
                   "\"/usr/bin/su\" (to become uid 0), by \"sh\"[1234] of uid 59000");
    /* By its group or by capabilities. */
    denial.detail = 59000;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: running a program that gains privilege, "
                   "\"/usr/bin/su\", by \"sh\"[1234] of uid 59000");

    denial = record(PROGRAM_SOCKETS, OBJECT_PATH, "/run/dbus/system_bus_socket");
    denial.detail = SOCK_STREAM;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: connecting to a socket of somebody else, "
                   "\"/run/dbus/system_bus_socket\" (of uid 0, stream), by \"sh\"[1234] of uid "
                   "59000");
    denial = record(PROGRAM_SOCKETS, OBJECT_ABSTRACT, "x@y");
    denial.detail = SOCK_DGRAM;
    denial.uid = 1785000000;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: connecting to a socket of somebody else, abstract "
                   "\"x@y\" (of uid 0, datagram), by \"sh\"[1234] of uid 1785000000");

    denial = record(PROGRAM_READS, OBJECT_PROCESS, "bash");
    denial.object_pid = 77;
    denial.object_uid = 1000;
    denial.detail = 0x11; /* PTRACE_MODE_READ_REALCREDS */
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: reading or tracing a process of somebody else, "
                   "\"bash\"[77] (of uid 1000, reading), by \"sh\"[1234] of uid 59000");
    denial.detail = 0x12;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: reading or tracing a process of somebody else, "
                   "\"bash\"[77] (of uid 1000, tracing), by \"sh\"[1234] of uid 59000");
    denial.detail = 0;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: reading or tracing a process of somebody else, "
                   "\"bash\"[77] (of uid 1000, by a core dump), by \"sh\"[1234] of uid 59000");

    denial = record(PROGRAM_SELF, OBJECT_NONE, "");
    denial.detail = 5;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: bpf(2), by which the policy could be changed "
                   "(command 5), by \"sh\"[1234] of uid 59000");

    denial = record(PROGRAM_FAMILIES, OBJECT_NONE, "");
    denial.detail = 40;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: a socket of an address family that nothing else here "
                   "holds (family 40), by \"sh\"[1234] of uid 59000");
}

static void test_process_has_a_pid(void **state)
{
    struct denial denial = record(PROGRAM_READS, OBJECT_PROCESS, "bash");
    struct denial_entry entry;

    (void)state;
    denial.object_pid = 77;
    assert_int_equal(denial_entry_make(&denial, &agent, &entry), 0);
    assert_field(&entry, "DENIED_OBJECT", "bash");
    assert_field(&entry, "DENIED_OBJECT_PID", "77");
    assert_null(field(&entry, "DENIED_OBJECT_INODE"));
}

static void test_of_no_sandbox(void **state)
{
    struct denial denial = record(PROGRAM_SELF, OBJECT_NONE, "");
    struct denial_entry entry;

    (void)state;
    denial.sandbox = 0;
    denial.uid = 0;
    denial.detail = DENIAL_OPEN_MAP;
    assert_int_equal(denial_entry_make(&denial, &unknown, &entry), 0);
    assert_null(field(&entry, "SANDBOX"));
    assert_null(field(&entry, "SANDBOX_UID"));
    assert_null(field(&entry, "DENIED_OBJECT"));
    assert_null(field(&entry, "DENIED_OBJECT_UID"));
    assert_field(&entry, "DENIED_OBJECT_KIND", "none");
    assert_field(&entry, "MESSAGE",
                 "Denied to a process of no sandbox: bpf(2), by which the policy could be changed "
                 "(opening one of its maps for writing), by \"sh\"[1234] of uid 0");
}

/* One that was taken out of the configuration, with a session open. */
static void test_of_an_unknown_sandbox(void **state)
{
    struct denial denial = record(PROGRAM_SET_ID, OBJECT_NONE, "");
    struct denial_entry entry;

    (void)state;
    denial.dropped = 1;
    assert_int_equal(denial_entry_make(&denial, &unknown, &entry), 0);
    assert_null(field(&entry, "SANDBOX"));
    assert_field(&entry, "SANDBOX_UID", "59000");
    assert_field(&entry, "DENIED_DROPPED", "1");
    assert_field(&entry, "MESSAGE",
                 "Denied to the sandbox of uid 59000: running a program that gains privilege (to "
                 "become uid 0), by \"sh\"[1234] of uid 59000; 1 before it was not logged");
}

static void test_escapes(void **state)
{
    static const struct {
        const char *bytes;
        const char *escaped;
    } cases[] = {
        { "", "" },
        { "a b~", "a b~" },
        { "new\nline", "new\\x0aline" },
        { "\033]0;title\a", "\\x1b]0;title\\x07" },
        { "\033[2J", "\\x1b[2J" },
        { "say \"x\"", "say \\x22x\\x22" },
        { "\\x41", "\\x5cx41" },               /* is not 'A' */
        { "\x7f\x80\xff", "\\x7f\\x80\\xff" }, /* no UTF-8 */
        { "\xc2\x9b", "\\xc2\\x9b" },          /* a control character in UTF-8: CSI */
        { "\xe2\x80\xae", "\\xe2\\x80\\xae" }, /* turns the direction of the line */
        { "\xc3\xbc", "\\xc3\\xbc" },          /* an ordinary letter, as all of them */
        { "\xed\xa0\x80\xc0\x80", "\\xed\\xa0\\x80\\xc0\\x80" }, /* a surrogate, an overlong NUL */
        { "\r\t\v", "\\x0d\\x09\\x0b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[256];

        assert_int_equal(denial_escape(cases[i].bytes, strlen(cases[i].bytes), out),
                         strlen(cases[i].escaped));
        assert_string_equal(out, cases[i].escaped);
    }

    char out[13];
    denial_escape("a\0b", 3, out);
    assert_string_equal(out, "a\\x00b");
}

static void test_hostile_names(void **state)
{
    struct denial denial = record(PROGRAM_SOCKETS, OBJECT_PATH, "/tmp/\nSANDBOX=root\033[31m");
    struct denial_entry entry;

    (void)state;
    /* Ends in the middle of a character, and has no NUL. */
    memcpy(denial.comm, "\"[1] of uid 0; \xe2", DENIAL_COMM_SIZE);
    assert_int_equal(denial_entry_make(&denial, &agent, &entry), 0);
    assert_field(&entry, "DENIED_COMM", "\\x22[1] of uid 0; \\xe2");
    assert_field(&entry, "DENIED_OBJECT", "/tmp/\\x0aSANDBOX=root\\x1b[31m");
    assert_field(&entry, "SANDBOX", "agent");
    assert_printable(&entry);
    /* What follows a name is ours: the name does not get out of its quotes. */
    const char *message = field(&entry, "MESSAGE");
    assert_non_null(strstr(message, "by \"\\x22[1] of uid 0; \\xe2\"[1234] of uid 59000"));
}

static void test_the_longest(void **state)
{
    char path[DENIAL_PATH_SIZE];
    const struct denial_context long_names = { .sandbox = "a-user-name-that-is-as-long-as-it-may",
                                               .path = path };
    struct denial denial;
    struct denial_entry entry;

    (void)state;
    memset(path, 0xff, sizeof(path));
    for (int program = 0; program < N_PROGRAMS; program++)
        for (int kind = OBJECT_NONE; kind <= OBJECT_PROCESS; kind++) {
            memset(&denial, 0xff, sizeof(denial));
            denial.program = (__u8)program;
            denial.object_kind = (__u8)kind;
            denial.object_length = DENIAL_OBJECT_SIZE;
            assert_int_equal(denial_entry_make(&denial, &long_names, &entry), 0);
            assert_printable(&entry);
            /* Room for texts to grow. */
            assert_true(entry.used + 512 < sizeof(entry.text));
            assert_true(entry.n_fields < DENIAL_ENTRY_FIELDS);
            if (kind == OBJECT_PATH) {
                const char *message = field(&entry, "MESSAGE");
                assert_non_null(strstr(message, "\\xff\"..."));
            }
        }
}

static void test_cut_at_the_beginning(void **state)
{
    struct denial denial = record(PROGRAM_SET_ID, OBJECT_IN_DEVICE, "deep/down");

    (void)state;
    denial.device = 0xfffu << 20 | 0xfffff;
    denial.detail = denial.uid;
    assert_message(&denial, &agent,
                   "Denied to sandbox agent: running a program that gains privilege, "
                   "...\"deep/down\" on device 4095:1048575, by \"sh\"[1234] of uid 59000");
}

static void test_path_on_the_host(void **state)
{
    const struct denial_context context = { .sandbox = "agent", .path = "/tmp/\n/x" };
    struct denial denial = record(PROGRAM_WORLD_WRITE, OBJECT_IN_DEVICE, "/x");
    struct denial_entry entry;

    (void)state;
    assert_int_equal(denial_entry_make(&denial, &context, &entry), 0);
    assert_field(&entry, "DENIED_OBJECT", "/x");
    assert_field(&entry, "DENIED_OBJECT_PATH", "/tmp/\\x0a/x");
    assert_field(&entry, "MESSAGE",
                 "Denied to sandbox agent: writing what everybody may write, \"/tmp/\\x0a/x\" (of "
                 "uid 0, mode 0000), by \"sh\"[1234] of uid 59000");
}

static void test_records_that_are_none(void **state)
{
    struct denial good = record(PROGRAM_READS, OBJECT_PROCESS, "bash"), bad, parsed;
    char longer[sizeof(good) + 8] = { 0 };

    (void)state;
    assert_int_equal(denial_parse(&good, sizeof(good), &parsed), 0);
    assert_memory_equal(&good, &parsed, sizeof(good));

    /* At an odd address. */
    memcpy(longer + 1, &good, sizeof(good));
    assert_int_equal(denial_parse(longer + 1, sizeof(good), &parsed), 0);

    assert_int_equal(denial_parse(&good, 0, &parsed), -EBADMSG);
    assert_int_equal(denial_parse(&good, sizeof(good) - 1, &parsed), -EBADMSG);
    assert_int_equal(denial_parse(longer, sizeof(longer), &parsed), -EBADMSG);

    bad = good;
    bad.program = N_PROGRAMS;
    assert_int_equal(denial_parse(&bad, sizeof(bad), &parsed), -EBADMSG);
    bad = good;
    bad.object_kind = OBJECT_PROCESS + 1;
    assert_int_equal(denial_parse(&bad, sizeof(bad), &parsed), -EBADMSG);
    bad = good;
    bad.object_length = DENIAL_OBJECT_SIZE + 1;
    assert_int_equal(denial_parse(&bad, sizeof(bad), &parsed), -EBADMSG);
}

static void test_rest(void **state)
{
    struct denial_entry entry;

    (void)state;
    assert_int_equal(denial_entry_make_rest(59000, "agent", 9950, &entry), 0);
    assert_field(&entry, "MESSAGE_ID", DENIAL_MESSAGE_ID_REST);
    assert_field(&entry, "SANDBOX", "agent");
    assert_field(&entry, "SANDBOX_UID", "59000");
    assert_field(&entry, "DENIED_DROPPED", "9950");
    assert_field(&entry, "MESSAGE", "9950 further denials to sandbox agent were not logged");
    assert_int_equal(denial_entry_make_rest(0, NULL, 1, &entry), 0);
    assert_field(&entry, "MESSAGE", "1 further denial to a process of no sandbox was not logged");
    assert_null(field(&entry, "SANDBOX_UID"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_write),           cmocka_unit_test(test_messages),
        cmocka_unit_test(test_process_has_a_pid),     cmocka_unit_test(test_of_no_sandbox),
        cmocka_unit_test(test_of_an_unknown_sandbox), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_hostile_names),         cmocka_unit_test(test_the_longest),
        cmocka_unit_test(test_cut_at_the_beginning),  cmocka_unit_test(test_path_on_the_host),
        cmocka_unit_test(test_records_that_are_none), cmocka_unit_test(test_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
