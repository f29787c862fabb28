/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sandboxctl/listening.h"

/* From a kernel: a listener of root's on 127.0.0.1:26232 and on every address, somebody's on
 * 127.0.0.1, a connection of root's, and what is no line. */
static const char table[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:6678 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "13370 1 0000000000000000 100 0 0 10 0\n"
    "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "13371 1 0000000000000000 100 0 0 10 0\n"
    "   2: 0100007F:6679 00000000:0000 0A 00000000:00000000 00:00000000 00000000 59000        0 "
    "13372 1 0000000000000000 100 0 0 10 0\n"
    "   3: 0100007F:667A 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 "
    "13373 1 0000000000000000 20 4 30 10 -1\n"
    "   4: 0100007F\n"
    "  65: 0100007F:FFFF 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "1\n";

static void parse(const struct listening_sockets *held, struct listening *ret)
{
    FILE *file = fmemopen((void *)table, strlen(table), "r");

    listening_parse(file, held, ret);
    fclose(file);
}

static void root_s_listeners(void **state)
{
    struct listening listening;

    (void)state;
    parse(NULL, &listening);
    assert_true(listening_has(&listening, 0x6678));
    assert_true(listening_has(&listening, 0xffff));
    assert_false(listening_has(&listening, 22));
    assert_false(listening_has(&listening, 0x6679));
    assert_false(listening_has(&listening, 0x667a));
    assert_false(listening_has(&listening, 0));
}

static void systemd_s_listeners(void **state)
{
    uint64_t inodes[] = { 7, 13370, 13372 };
    struct listening_sockets held = { inodes, 3 };
    struct listening listening;

    (void)state;
    parse(&held, &listening);
    assert_true(listening_has(&listening, 0x6678));
    assert_false(listening_has(&listening, 0x6679));
    assert_false(listening_has(&listening, 0xffff));
    held.n = 0;
    parse(&held, &listening);
    assert_false(listening_has(&listening, 0x6678));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_s_listeners),
        cmocka_unit_test(systemd_s_listeners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
