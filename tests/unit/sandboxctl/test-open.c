/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is said to be open: no option that is set may be passed over in silence. */
#include "conf/cleanup.h"
#include "sandboxctl/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void collect(const struct open_item *item, void *userdata)
{
    assert_true(*item->what);
    fprintf(userdata, "%.*s: %s:", (int)strcspn(item->what, ":"), item->what, item->option);
    if (!item->sandboxes)
        fputs(" -", userdata);
    for (size_t i = 0; i < item->n_sandboxes; i++)
        fprintf(userdata, " %s", item->sandboxes[i]->name);
    fputc('\n', userdata);
}

static char *list(const struct config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(open_list(config, collect, out), 0);
    fclose(out);
    return text;
}

static void test_nothing_set(void **state)
{
    const struct config config = {};

    (void)state;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "turned off: kernel-policy: -\nturned off: deny-metadata: -\n");
}

static void test_host(void **state)
{
    char *programs[] = { "/usr/bin/ping", NULL };
    struct config config = {
        .host = { .lock_user = "runner",
                  .deny_metadata = true,
                  .kernel_policy = true,
                  .deny_reads = true,
                  .reads_exempt = "Runner.Worker",
                  .unlink_worker_diagnostics = true },
    };

    (void)state;
    _cleanup_free_ char *closed = list(&config);
    assert_string_equal(closed, "");

    config.host.deny_reads = config.host.unlink_worker_diagnostics = false;
    config.host.one_way = true;
    config.host.lock_allow_set_id = programs;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "turned off: deny-reads: -\n"
                              "lock-user gains privilege by these programs: lock-allow-set-id: -\n"
                              "turned off: unlink-worker-diagnostics: -\n"
                              "lock-user is locked though nobody may be left who could undo it: "
                              "one-way: -\n");

    /* What needs the kernel policy is not told apart from it. */
    config.host.kernel_policy = false;
    _cleanup_free_ char *without = list(&config);
    assert_string_equal(without, "turned off: kernel-policy: -\n"
                                 "turned off: kernel-policy: -\n"
                                 "turned off: unlink-worker-diagnostics: -\n"
                                 "lock-user is locked though nobody may be left who could undo it: "
                                 "one-way: -\n");

    /* They are about that user alone. */
    config.host.lock_user = NULL;
    config.host.kernel_policy = true;
    _cleanup_free_ char *nobody = list(&config);
    assert_string_equal(nobody, "");
}

static void test_sandboxes(void **state)
{
    struct config_endpoint endpoint = {};
    uint16_t port = 80;
    char *one[] = { "x", NULL }, *none[] = { NULL };
    struct config_sandbox sandboxes[] = {
        {
            .name = "all",
            .egress = { .proxy = true,
                        .allow = one,
                        .direct = &endpoint,
                        .n_direct = 1,
                        .policy = "/x" },
            .local = { .allow_sockets = one, .allow_tcp_ports = &port, .n_allow_tcp_ports = 1 },
        },
        {
            .name = "tight",
            .filesystem_view = true,
            .private_tmp = true,
            .egress = { .proxy = true, .allow = none },
            .local = { .allow_sockets = none },
        },
        { .name = "zero", .filesystem_view = true, .private_tmp = true },
    };
    const struct config config = { .sandboxes = sandboxes, .n_sandboxes = 3 };

    (void)state;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "turned off: kernel-policy: -\n"
                              "turned off: deny-metadata: -\n"
                              "turned off: filesystem-view: all\n"
                              "turned off: private-tmp: all\n"
                              "turned off: egress.proxy: zero\n"
                              "without kernel-policy: local.allow-sockets: all\n");
}

static void test_sockets(void **state)
{
    char *one[] = { "/run/x", NULL };
    struct config_sandbox sandbox = {
        .name = "a",
        .filesystem_view = true,
        .private_tmp = true,
        .local = { .allow_sockets = one },
    };
    const struct config config = {
        .host = { .kernel_policy = true },
        .sandboxes = &sandbox,
        .n_sandboxes = 1,
    };

    (void)state;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "turned off: deny-metadata: -\n"
                              "turned off: egress.proxy: a\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_set),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_sandboxes),
        cmocka_unit_test(test_sockets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
