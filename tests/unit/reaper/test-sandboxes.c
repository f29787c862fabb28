/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* In a mount namespace with a /run of its own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "reaper/sandboxes.h"

static void write_snapshot(const char *text)
{
    FILE *f = fopen(SNAPSHOT_FILE ".new", "we");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rename(SNAPSHOT_FILE ".new", SNAPSHOT_FILE), 0);
}

static void test_follows_the_snapshot(void **state)
{
    _cleanup_(sandboxes_done) struct sandboxes sandboxes = { 0 };

    (void)state;
    unlink(SNAPSHOT_FILE);
    assert_int_equal(sandboxes_refresh(&sandboxes), -ENOENT);
    assert_false(sandboxes_contain(&sandboxes, 59000));

    /* by name the other way round than by uid */
    write_snapshot("sandbox \"a\" { uid = 59002 }\nsandbox \"b\" { uid = 59000 }\n");
    assert_int_equal(sandboxes_refresh(&sandboxes), 0);
    assert_true(sandboxes_contain(&sandboxes, 59000));
    assert_false(sandboxes_contain(&sandboxes, 59001));
    assert_true(sandboxes_contain(&sandboxes, 59002));

    write_snapshot("sandbox \"a\" { uid = 59001 }\n");
    assert_int_equal(sandboxes_refresh(&sandboxes), 0);
    assert_false(sandboxes_contain(&sandboxes, 59000));
    assert_true(sandboxes_contain(&sandboxes, 59001));
}

static void test_keeps_what_it_knew(void **state)
{
    _cleanup_(sandboxes_done) struct sandboxes sandboxes = { 0 };

    (void)state;
    write_snapshot("sandbox \"a\" { uid = 59001 }\n");
    assert_int_equal(sandboxes_refresh(&sandboxes), 0);
    write_snapshot("sandbox \"a\" {\n");
    assert_true(sandboxes_refresh(&sandboxes) < 0);
    assert_true(sandboxes_contain(&sandboxes, 59001));
    unlink(SNAPSHOT_FILE);
    assert_int_equal(sandboxes_refresh(&sandboxes), -ENOENT);
    assert_true(sandboxes_contain(&sandboxes, 59001));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows_the_snapshot),
        cmocka_unit_test(test_keeps_what_it_knew),
    };

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 77; /* meson: skipped */
    if (mount("tmpfs", "/run", "tmpfs", 0, "mode=0755") < 0 || mkdir(RUN_DIR, 0755) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
