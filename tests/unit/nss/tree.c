/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/nss/tree.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/nss-file.h"

#include <ftw.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char tree_root[] = "/tmp/pam-sandbox-test.XXXXXX";

const char *tree_path(const char *path)
{
    static _Thread_local char full[2][512];
    static _Thread_local unsigned turn;
    char *text = full[turn++ % 2];
    snprintf(text, sizeof full[0], "%s%s", tree_root, path);
    return text;
}

FILE *nss_file_open(const char *path)
{
    FILE *stream = fopen(tree_path(path), "rce");
    if (stream)
        __fsetlocking(stream, FSETLOCKING_BYCALLER);
    return stream;
}

static void make_dir(const char *path)
{
    assert_int_equal(mkdir(tree_path(path), 0755), 0);
}

int tree_setup(void **state)
{
    (void)state;
    strcpy(tree_root + strlen(tree_root) - 6, "XXXXXX");
    assert_non_null(mkdtemp(tree_root));
    make_dir("/etc");
    make_dir("/run");
    make_dir(RUN_DIR);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

int tree_teardown(void **state)
{
    (void)state;
    return nftw(tree_root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void tree_write_bytes(const char *path, const void *bytes, size_t size)
{
    char new[600];
    snprintf(new, sizeof new, "%s.new", tree_path(path));
    FILE *out = fopen(new, "we");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rename(new, tree_path(path)), 0);
}

void tree_write(const char *path, const char *text)
{
    tree_write_bytes(path, text, strlen(text));
}

void tree_remove(const char *path)
{
    assert_int_equal(unlink(tree_path(path)), 0);
}

unsigned tree_count_fds(void)
{
    _cleanup_closedir_ DIR *dir = opendir("/proc/self/fd");
    unsigned n = 0;
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    return n;
}
