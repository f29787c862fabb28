/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The list is asked as the kernel asks the trie: the longest prefix that fits wins. */
#include "bpf/policy-make.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/socket-defaults.h"

#define LAST_ID UINT32_MAX
#define LONGEST                                                                                    \
    "/2345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012" \
    "3456789012345678"

static char *no_sockets[] = { NULL };

static bool prefix_fits(const struct policy_key *entry, const struct policy_key *key)
{
    const uint8_t *a = (const uint8_t *)&entry->kind, *b = (const uint8_t *)&key->kind;
    uint32_t bytes = entry->prefix / 8, bits = entry->prefix % 8;

    return memcmp(a, b, bytes) == 0 && (bits == 0 || (a[bytes] ^ b[bytes]) >> (8 - bits) == 0);
}

static const struct policy_entry *find(const struct policy_list *list, const struct policy_key *key)
{
    const struct policy_entry *best = NULL;

    for (size_t i = 0; i < list->n; i++)
        if (prefix_fits(&list->entries[i].key, key) &&
            (!best || best->key.prefix < list->entries[i].key.prefix))
            best = &list->entries[i];
    return best;
}

static uint32_t sandbox_of(const struct policy_list *list, uint32_t id)
{
    const struct policy_key key = { .kind = POLICY_ID, .id = htonl(id) };
    const struct policy_entry *entry = find(list, &key);

    return entry ? entry->value.sandbox : 0;
}

static bool may_reach(const struct policy_list *list, uint32_t sandbox, const char *path)
{
    struct policy_key key = { .kind = POLICY_SOCKET, .id = htonl(sandbox) };

    memcpy(key.path, path, strlen(path));
    return find(list, &key) != NULL;
}

static bool has_file(const struct policy_list *list, enum policy_kind kind,
                     const struct policy_file *file)
{
    struct policy_key key = { .kind = kind };

    key.file = *file;
    return find(list, &key) != NULL;
}

static struct config_sandbox sandbox(uint32_t uid, uint32_t start, uint32_t count)
{
    return (struct config_sandbox){
        .uid = uid,
        .subids = { .start = start, .count = count },
        .local = { .allow_sockets = no_sockets },
    };
}

static const struct policy_lock nobody = { 0 };

static int make(struct config_sandbox *sandboxes, size_t n, struct policy_list *list)
{
    const struct config config = { .sandboxes = sandboxes, .n_sandboxes = n };
    const struct policy_files none = { 0 };

    return policy_make(&config, &none, &nobody, list);
}

/* Exactly the range: what borders on it, and every place where a prefix ends. */
static void check_range(uint32_t start, uint32_t count, size_t n_prefixes)
{
    struct config_sandbox one = sandbox(59000, start, count);
    uint64_t end = (uint64_t)start + count, covered = 0;
    struct policy_list list;
    size_t n = 0;

    assert_int_equal(make(&one, 1, &list), 0);
    assert_int_equal(sandbox_of(&list, 59000), 59000);
    assert_int_equal(sandbox_of(&list, start), 59000);
    assert_int_equal(sandbox_of(&list, (uint32_t)(end - 1)), 59000);
    assert_int_equal(sandbox_of(&list, start - 1), 0);
    if (end <= LAST_ID)
        assert_int_equal(sandbox_of(&list, (uint32_t)end), 0);

    for (size_t i = 0; i < list.n; i++) {
        const struct policy_key *key = &list.entries[i].key;
        uint64_t first = ntohl(key->id), size;

        if (key->kind != POLICY_ID || first == 59000)
            continue;
        assert_true(key->prefix >= POLICY_ID_PREFIX(0) && key->prefix <= POLICY_ID_PREFIX(32));
        size = UINT64_C(1) << (POLICY_ID_PREFIX(32) - key->prefix);
        assert_int_equal(first % size, 0);
        assert_true(first >= start && first + size <= end);
        covered += size;
        n++;
    }
    assert_int_equal(covered, count);
    assert_int_equal(n, n_prefixes);
    policy_list_done(&list);
}

static void test_ranges(void **state)
{
    (void)state;
    check_range(1785000000, 65536, 11);
    check_range(65536, 65536, 1);
    check_range(100000, 1, 1);
    check_range(100001, 2, 2);
    check_range(100000, 2, 1);
    check_range(99999, 65536, 17);
    check_range(0x80000000, 0x40000000, 1);
    check_range(0x7fffffff, 2, 2);
    check_range(LAST_ID, 1, 1);
    check_range(LAST_ID - 2, 3, 2);
    /* As many as there can be. */
    check_range(60000, LAST_ID - 60000, 51);
    check_range(1, LAST_ID - 1, 62);
}

static void test_a_range_beyond_the_last_id(void **state)
{
    struct config_sandbox one = sandbox(59000, LAST_ID, 2);
    struct policy_list list = { .n = 7 };

    (void)state;
    assert_int_equal(make(&one, 1, &list), -ERANGE);
    assert_int_equal(list.n, 7);
}

static void test_no_range(void **state)
{
    struct config_sandbox one = sandbox(59000, 0, 0);
    struct policy_list list;

    (void)state;
    assert_int_equal(make(&one, 1, &list), 0);
    assert_int_equal(sandbox_of(&list, 59000), 59000);
    assert_int_equal(sandbox_of(&list, 0), 0);
    assert_int_equal(sandbox_of(&list, 1), 0);
    policy_list_done(&list);
}

static void test_neighbours(void **state)
{
    struct config_sandbox two[] = { sandbox(59000, 100000, 65536), sandbox(59001, 165536, 65536) };
    struct policy_list list;

    (void)state;
    assert_int_equal(make(two, 2, &list), 0);
    assert_int_equal(sandbox_of(&list, 165535), 59000);
    assert_int_equal(sandbox_of(&list, 165536), 59001);
    assert_int_equal(sandbox_of(&list, 59001), 59001);
    policy_list_done(&list);
}

static void test_sockets(void **state)
{
    char file[] = "/run/one.socket", directory[] = "/run/many/";
    char *sockets[] = { file, directory, NULL };
    struct config_sandbox two[] = { sandbox(59000, 0, 0), sandbox(59001, 0, 0) };
    struct policy_list list;

    (void)state;
    two[0].local.allow_sockets = sockets;
    assert_int_equal(make(two, 2, &list), 0);
    assert_true(may_reach(&list, 59000, "/run/one.socket"));
    assert_false(may_reach(&list, 59000, "/run/one.socket2"));
    assert_false(may_reach(&list, 59000, "/run/one.socket/x"));
    assert_false(may_reach(&list, 59000, "/run/one.socke"));
    assert_true(may_reach(&list, 59000, "/run/many/x"));
    assert_true(may_reach(&list, 59000, "/run/many/x/y"));
    assert_false(may_reach(&list, 59000, "/run/many"));
    assert_false(may_reach(&list, 59000, "/run/manyx"));
    assert_false(may_reach(&list, 59000, ""));

    /* The other one's are not its own, and nobody's are not everybody's. */
    assert_false(may_reach(&list, 59001, "/run/one.socket"));
    assert_false(may_reach(&list, 59001, "/run/many/x"));
    assert_false(may_reach(&list, 0, "/run/one.socket"));
    policy_list_done(&list);
}

/* sun_path may be filled to its last byte, with no NUL in it. */
static void test_the_longest_names(void **state)
{
    char file[] = LONGEST, directory[] = LONGEST, too_long[] = LONGEST "9", empty[] = "";
    char *sockets[] = { file, NULL };
    struct config_sandbox one = sandbox(59000, 0, 0);
    struct policy_list list;

    (void)state;
    assert_int_equal(strlen(file), POLICY_PATH_SIZE);
    one.local.allow_sockets = sockets;
    assert_int_equal(make(&one, 1, &list), 0);
    assert_true(may_reach(&list, 59000, LONGEST));
    file[POLICY_PATH_SIZE - 1] = '\0';
    assert_false(may_reach(&list, 59000, file));
    policy_list_done(&list);

    /* One less, as it would be bound with its NUL in sun_path. */
    assert_int_equal(make(&one, 1, &list), 0);
    assert_true(may_reach(&list, 59000, file));
    assert_false(may_reach(&list, 59000, LONGEST));
    policy_list_done(&list);

    directory[POLICY_PATH_SIZE - 2] = '/';
    directory[POLICY_PATH_SIZE - 1] = '\0';
    sockets[0] = directory;
    assert_int_equal(make(&one, 1, &list), 0);
    directory[POLICY_PATH_SIZE - 1] = 'x';
    assert_true(may_reach(&list, 59000, directory));
    policy_list_done(&list);

    sockets[0] = too_long;
    assert_int_equal(make(&one, 1, &list), -ENAMETOOLONG);
    sockets[0] = empty;
    assert_int_equal(make(&one, 1, &list), -ENAMETOOLONG);
}

static void test_sockets_of_every_sandbox(void **state)
{
    struct config_sandbox one = sandbox(59000, 0, 0);
    struct policy_list list;

    (void)state;
    assert_int_equal(make(&one, 1, &list), 0);
    assert_true(n_socket_defaults > 0);
    for (size_t i = 0; i < n_socket_defaults; i++) {
        assert_true(may_reach(&list, 0, socket_defaults[i].path));
        assert_true(strlen(socket_defaults[i].reason) > 0);
    }
    assert_false(may_reach(&list, 0, "/run/dbus/system_bus_socket"));
    assert_false(may_reach(&list, 0, "/run/systemd/resolve/io.systemd.Resolve"));
    assert_false(may_reach(&list, 0, "/run/systemd/userdb/io.systemd.DynamicUser"));
    assert_false(may_reach(&list, 0, "/run/systemd/private"));
    policy_list_done(&list);
}

/* The man page has the same table. */
static void test_sockets_are_documented(void **state)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[4096], page[65536], line[256];
    size_t n;

    (void)state;
    assert_non_null(root);
    snprintf(path, sizeof(path), "%s/bpf/pam-sandbox-lsm.8", root);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    n = fread(page, 1, sizeof(page) - 1, file);
    fclose(file);
    page[n] = '\0';

    const char *table = strstr(page, ".SS Sockets that every sandbox may reach\n");
    assert_non_null(table);
    for (size_t i = 0; i < n_socket_defaults; i++) {
        snprintf(line, sizeof(line), "\n.TP\n.I %s\n", socket_defaults[i].path);
        assert_non_null(strstr(table, line));
    }
    n = 0;
    for (const char *entry = table; (entry = strstr(entry, "\n.TP\n.I /")) != NULL; entry++)
        if (entry < strstr(table, ".SH MODES"))
            n++;
    assert_int_equal(n, n_socket_defaults);
}

static void test_files(void **state)
{
    const struct policy_file helper = { .directory = 17, .device = 5, .name = "newuidmap" };
    const struct policy_file loader = { .directory = 18, .device = 5, .name = "lsm" };
    const struct policy_files files = {
        .set_id = &helper, .n_set_id = 1, .loaders = &loader, .n_loaders = 1
    };
    const struct config config = { 0 };
    struct policy_file other = helper;
    struct policy_list list;

    (void)state;
    assert_int_equal(policy_make(&config, &files, &nobody, &list), 0);
    assert_true(has_file(&list, POLICY_SET_ID, &helper));
    assert_true(has_file(&list, POLICY_LOADER, &loader));
    assert_false(has_file(&list, POLICY_SET_ID, &loader));
    assert_false(has_file(&list, POLICY_LOADER, &helper));

    other.directory++;
    assert_false(has_file(&list, POLICY_SET_ID, &other));
    other = helper;
    other.device++;
    assert_false(has_file(&list, POLICY_SET_ID, &other));
    other = helper;
    strcpy(other.name, "newuidmap2");
    assert_false(has_file(&list, POLICY_SET_ID, &other));
    strcpy(other.name, "newuidma");
    other.name[8] = '\0';
    other.name[9] = '\0';
    assert_false(has_file(&list, POLICY_SET_ID, &other));
    policy_list_done(&list);
}

static const struct policy_value *value_of(const struct policy_list *list, uint32_t id)
{
    const struct policy_key key = { .kind = POLICY_ID, .id = htonl(id) };
    const struct policy_entry *entry = find(list, &key);

    return entry ? &entry->value : NULL;
}

static bool has_id(const struct policy_list *list, enum policy_kind kind, uint32_t id)
{
    const struct policy_key key = { .kind = kind, .id = htonl(id) };

    return find(list, &key) != NULL;
}

/* Who is locked, beside a sandbox: neither is taken for the other. */
static void test_lock(void **state)
{
    const struct config_id_range ids[] = { { 100000, 65536 } };
    const struct policy_file su = { .directory = 17, .device = 5, .name = "su" };
    const gid_t groups[] = { 0, 42 };
    const struct policy_lock lock = {
        .uid = 1001,
        .ids = ids,
        .n_ids = 1,
        .groups = groups,
        .n_groups = 2,
        .set_id = &su,
        .n_set_id = 1,
        .reader = 4711,
        .reader_started = 0x0123456789abcdef,
    };
    struct config_sandbox one = sandbox(59000, 1785000000, 65536);
    struct config config = { .sandboxes = &one, .n_sandboxes = 1, .host = { .deny_reads = true } };
    const struct policy_files none = { 0 };
    struct policy_key key = { .kind = POLICY_READER, .id = htonl(4711) };
    struct policy_list list;

    (void)state;
    assert_int_equal(policy_make(&config, &none, &lock, &list), 0);
    assert_int_equal(value_of(&list, 1001)->locked, 1001);
    assert_int_equal(value_of(&list, 1001)->sandbox, 0);
    assert_int_equal(value_of(&list, 1001)->deny_reads, 1);
    assert_int_equal(value_of(&list, 165535)->locked, 1001);
    assert_int_equal(value_of(&list, 59000)->locked, 0);
    assert_int_equal(value_of(&list, 59000)->deny_reads, 0);
    assert_null(value_of(&list, 1002));

    /* Closed to the one, and open to nobody for that. */
    assert_true(may_reach(&list, 1001, "/run/docker.sock"));
    assert_true(may_reach(&list, 1001, "/var/run/libvirt/libvirt-sock"));
    assert_false(may_reach(&list, 1001, "/run/docker.sock2"));
    assert_false(may_reach(&list, 59000, "/run/docker.sock"));
    assert_false(may_reach(&list, 0, "/run/docker.sock"));

    assert_false(has_file(&list, POLICY_SET_ID, &su));
    assert_true(has_id(&list, POLICY_GROUP, 42));
    assert_true(has_id(&list, POLICY_GROUP, 0));
    assert_false(has_id(&list, POLICY_GROUP, 43));
    assert_false(has_id(&list, POLICY_READER, 4711));
    key.started = lock.reader_started;
    assert_non_null(find(&list, &key));
    key.started++;
    assert_null(find(&list, &key));
    policy_list_done(&list);

    config.host.deny_reads = false;
    assert_int_equal(policy_make(&config, &none, &lock, &list), 0);
    assert_int_equal(value_of(&list, 1001)->deny_reads, 0);
    policy_list_done(&list);
    assert_int_equal(policy_make(&config, &none, &nobody, &list), 0);
    assert_null(value_of(&list, 1001));
    assert_false(has_id(&list, POLICY_GROUP, 0));
    policy_list_done(&list);
}

/* No byte is left to chance, since the kernel compares all of them. */
static void test_holes_are_empty(void **state)
{
    char path[] = "/run/x";
    char *sockets[] = { path, NULL };
    struct config_sandbox many[100];
    struct policy_list list;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        many[i] = sandbox((uint32_t)(59000 + i), (uint32_t)(1785000000 + i * 65536), 65536);
        many[i].local.allow_sockets = sockets;
    }
    assert_int_equal(make(many, 100, &list), 0);
    for (size_t i = 0; i < list.n; i++) {
        const struct policy_key *key = &list.entries[i].key;
        const uint8_t *bytes = (const uint8_t *)key;
        size_t used = key->kind == POLICY_ID ? 16 : 4 + (key->prefix + 7) / 8;

        assert_int_equal(key->padding, 0);
        for (size_t j = used; j < sizeof(*key); j++)
            assert_int_equal(bytes[j], 0);
    }
    policy_list_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_a_range_beyond_the_last_id),
        cmocka_unit_test(test_no_range),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_the_longest_names),
        cmocka_unit_test(test_sockets_of_every_sandbox),
        cmocka_unit_test(test_sockets_are_documented),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_holes_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
