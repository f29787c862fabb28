/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a line of /proc/net/unix says. */
#include "sandboxctl/probes/connect.h"
#include "sandboxctl/probes/unix-list.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LISTENS "0000000000000000: 00000002 00000000 00010000 0001 01 "
#define SEQPACKET "0000000000000000: 00000002 00000000 00010000 0005 01 "
#define CONNECTED "0000000000000000: 00000003 00000000 00000000 0001 03 "
#define DATAGRAM "ffff9a2b3c4d5e6f: 00000002 00000000 00000000 0002 01 "

static void test_parse(void **state)
{
    static const struct {
        const char *line;
        const char *word; /* NULL: nothing to connect to */
        bool is_abstract;
        int type;
        unsigned long inode;
    } cases[] = {
        { "Num       RefCount Protocol Flags    Type St Inode Path\n", NULL },
        { LISTENS "4711 /run/systemd/private\n", "/run/systemd/private", false, SOCK_STREAM, 4711 },
        { LISTENS "    7 /run/x", "/run/x", false, SOCK_STREAM, 7 },
        { LISTENS "7 /run/a b\n", "/run/a%20b", false, SOCK_STREAM, 7 },
        { LISTENS "7 /run/a: 0 1 2\n", "/run/a:%200%201%202", false, SOCK_STREAM, 7 },
        { LISTENS "7 @name@@\n", "name@@", true, SOCK_STREAM, 7 },
        { SEQPACKET "4294967295 @/tmp/.X11-unix/X0\n", "/tmp/.X11-unix/X0", true, SOCK_SEQPACKET,
          4294967295 },
        { DATAGRAM "12 /run/systemd/notify\n", "/run/systemd/notify", false, SOCK_DGRAM, 12 },
        { DATAGRAM "12 @0000a\n", "0000a", true, SOCK_DGRAM, 12 },
        { DATAGRAM "12\n", NULL },
        { LISTENS "7 relative\n", NULL },
        { LISTENS "7 @\n", NULL },
        { LISTENS "7 \n", NULL },
        { CONNECTED "7 /run/x\n", NULL },
        { "", NULL },
        { "7 /run/x\n", NULL },
        { "x: /run/x\n", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unix_socket socket = {};

        assert_int_equal(unix_list_parse(cases[i].line, &socket), cases[i].word != NULL);
        if (!cases[i].word)
            continue;
        assert_string_equal(socket.word, cases[i].word);
        assert_int_equal(socket.is_abstract, cases[i].is_abstract);
        assert_int_equal(socket.type, cases[i].type);
        assert_int_equal(socket.inode, cases[i].inode);
        free(socket.word);
    }
}

static void test_address(void **state)
{
    const size_t before = offsetof(struct sockaddr_un, sun_path);
    struct sockaddr_un address;
    char longest[110];
    socklen_t length;

    (void)state;
    assert_int_equal(connect_address("/run/a%20b", &address, &length), 0);
    assert_int_equal(length, before + 8);
    assert_memory_equal(address.sun_path, "/run/a b", 8);

    assert_int_equal(connect_address("@a%00", &address, &length), 0);
    assert_int_equal(length, before + 3);
    assert_memory_equal(address.sun_path, "\0a\0", 3);

    /* unix(7): a path may fill all of sun_path, an abstract name all but one byte. */
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[108] = '\0';
    assert_int_equal(connect_address(longest, &address, &length), 0);
    assert_int_equal(length, sizeof address);
    longest[0] = '@';
    assert_int_equal(connect_address(longest, &address, &length), 0);
    assert_int_equal(length, sizeof address);
    longest[108] = 'x';
    longest[109] = '\0';
    assert_int_equal(connect_address(longest, &address, &length), -ENAMETOOLONG);

    assert_int_equal(connect_address("", &address, &length), -ENAMETOOLONG);
    assert_int_equal(connect_address("@", &address, &length), -ENAMETOOLONG);
    assert_int_equal(connect_address("/run/%", &address, &length), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
