/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/cleanup.h"
#include "sandboxctl/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *print(const struct table *table, int indent)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(table_print(table, indent, out), 0);
    fclose(out);
    return text;
}

static void test_empty(void **state)
{
    const struct table table = { .n_columns = 3 };

    (void)state;
    _cleanup_free_ char *text = print(&table, 0);
    assert_string_equal(text, "");
}

static void test_columns(void **state)
{
    _cleanup_table_ struct table table = { .n_columns = 2 };

    (void)state;
    table_add(&table, "A");
    table_add(&table, "B");
    table_add(&table, "%d", 12345);
    table_add(&table, "last column is not padded");
    table_add(&table, "%s", "");
    table_add(&table, "x");
    _cleanup_free_ char *text = print(&table, 2);
    assert_string_equal(text, "  A      B\n"
                              "  12345  last column is not padded\n"
                              "         x\n");
}

static void test_many_rows(void **state)
{
    _cleanup_table_ struct table table = { .n_columns = 1 };
    size_t lines = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        table_add(&table, "%d", i);
    _cleanup_free_ char *text = print(&table, 0);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1000);
    assert_non_null(strstr(text, "\n999\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_many_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
