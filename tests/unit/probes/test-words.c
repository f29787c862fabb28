/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as words: any bytes there and back. */
#include "sandboxctl/probes/words.h"

#include "conf/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_encode(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *word;
    } cases[] = {
        { "", 0, "" },
        { "/run/dbus/system_bus_socket", 27, "/run/dbus/system_bus_socket" },
        { "a b\tc\nd", 7, "a%20b%09c%0Ad" },
        { "100%", 4, "100%25" },
        { "\0x\0", 3, "%00x%00" },
        { "\x7f\xff\x1f", 3, "%7F%FF%1F" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        _cleanup_free_ char *word = word_encode(cases[i].bytes, cases[i].length);
        char bytes[64];

        assert_string_equal(word, cases[i].word);
        assert_int_equal(word_decode(word, bytes, sizeof bytes), cases[i].length);
        assert_memory_equal(bytes, cases[i].bytes, cases[i].length);
        assert_int_equal(bytes[cases[i].length], '\0');
    }
}

static void test_decode_refuses(void **state)
{
    static const char *const wrong[] = { "%", "%2", "a%G0", "%0G", "%0a", "%%20" };
    char bytes[8];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(word_decode(wrong[i], bytes, sizeof bytes), -EINVAL);
    assert_int_equal(word_decode("1234567", bytes, sizeof bytes), 7);
    assert_int_equal(word_decode("12345678", bytes, sizeof bytes), -ENAMETOOLONG);
    assert_int_equal(word_decode("%31%32%33%34%35%36%37%38", bytes, sizeof bytes), -ENAMETOOLONG);
    assert_int_equal(word_decode("", bytes, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_decode_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
