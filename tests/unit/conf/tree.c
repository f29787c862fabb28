/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tree.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

int tree_setup(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);

    assert_non_null(tree);
    (void)snprintf(tree->root, sizeof tree->root, "/tmp/test-conf-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
    *state = tree;
    return 0;
}

static int remove_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int tree_teardown(void **state)
{
    struct tree *tree = *state;

    assert_int_equal(nftw(tree->root, remove_node, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(tree);
    return 0;
}

const char *tree_path(const struct tree *tree, const char *path)
{
    static char full[4096];

    (void)snprintf(full, sizeof full, "%s%s", tree->root, path);
    return full;
}

void tree_write(const struct tree *tree, const char *path, const char *text)
{
    char full[4096];
    FILE *file;

    (void)snprintf(full, sizeof full, "%s%s", tree->root, path);
    for (char *slash = full + strlen(tree->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(full, 0755) < 0)
            assert_int_equal(errno, EEXIST);
        *slash = '/';
    }
    file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(full, 0644), 0);
}

void tree_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    struct tree *tree = userdata;
    const size_t used = strlen(tree->problems);

    (void)snprintf(tree->problems + used, sizeof tree->problems - used, "%s:%u: %s\n", file, line,
                   message);
}

struct config *tree_load(struct tree *tree, bool check_host, const char *problems)
{
    const struct config_source source = { .root = tree->root, .check_host = check_host };
    struct config *config = NULL;
    int r;

    tree->problems[0] = '\0';
    r = config_load_etc(&source, tree_problem, tree, &config);
    assert_string_equal(tree->problems, problems);
    assert_int_equal(r, *problems ? -EINVAL : 0);
    assert_true(*problems ? !config : !!config);
    return config;
}

struct config *tree_load_text(struct tree *tree, const char *text, const char *problems)
{
    _cleanup_free_ char *named = NULL;
    size_t size;
    FILE *out = open_memstream(&named, &size);

    assert_non_null(out);
    for (const char *line = problems, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        fprintf(out, "%s:%.*s\n", CONFIG_ADMIN_FILE, (int)(end - line), line);
    }
    assert_int_equal(fclose(out), 0);
    tree_write(tree, CONFIG_ADMIN_FILE, text);
    return tree_load(tree, false, named);
}

void tree_expect(struct tree *tree, const char *text, const char *problems)
{
    config_free(tree_load_text(tree, text, problems));
}

char *tree_text(const struct config *config, bool origins)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(config_write(config, NULL, origins, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}
