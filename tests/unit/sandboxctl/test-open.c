/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is said to be open: no option that is set may be passed over in silence. */
#include "conf/cleanup.h"
#include "sandboxctl/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void collect(const char *sandbox, const char *option, const char *what, void *userdata)
{
    assert_true(*what);
    fprintf(userdata, "%s %s %.*s\n", sandbox ? sandbox : "-", option, (int)strcspn(what, ":,"),
            what);
}

static char *list(const struct config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    open_list(config, collect, out);
    fclose(out);
    return text;
}

static void test_nothing_set(void **state)
{
    const struct config config = {};

    (void)state;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "- kernel-policy turned off\n- deny-metadata turned off\n");
}

static void test_host(void **state)
{
    struct config config = {
        .host = { .lock_user = "runner", .deny_metadata = true, .kernel_policy = true },
    };

    (void)state;
    _cleanup_free_ char *text = list(&config);
    assert_string_equal(text, "- kernel-policy set\n- deny-metadata set\n- lock-user set\n");
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
    assert_string_equal(text, "- kernel-policy turned off\n"
                              "- deny-metadata turned off\n"
                              "all filesystem-view turned off\n"
                              "all private-tmp turned off\n"
                              "all egress.proxy set\n"
                              "all egress.allow set\n"
                              "all egress.direct set\n"
                              "all egress.policy set\n"
                              "all local.allow-sockets set\n"
                              "all local.allow-tcp-ports set\n"
                              "tight egress.proxy set\n"
                              "zero egress.proxy turned off\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_set),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_sandboxes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
