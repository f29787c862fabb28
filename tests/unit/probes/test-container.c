/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is tried in containers. */
#include "sandboxctl/probes/container.h"
#include "sandboxctl/probes/outside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct outside outside = {
    .source4 = "192.52.193.9",
    .source6 = "2001:4:112::9",
    .local_tcp = "1001",
    .local_own = "1002",
    .local_udp = "1003",
    .local_dns = "127.77.80.1",
};
static const struct probe_run run = { .outside = &outside };

static size_t targets_of(enum container_row row, bool own_network, struct target *targets,
                         char texts[][INET6_ADDRSTRLEN])
{
    return container_targets(&run, row, own_network, targets, texts);
}

static bool is_loopback(const struct target *target)
{
    return strncmp(target->address, "127.", 4) == 0;
}

/* On the session's network each is bound to where it is answered, but for what is on this host. */
static void test_of_the_session(void **state)
{
    (void)state;
    for (enum container_row row = CONTAINER_TCP; row <= CONTAINER_WIRESERVER; row++) {
        char texts[TARGETS_MAX][INET6_ADDRSTRLEN];
        struct target targets[TARGETS_MAX];
        const size_t n = targets_of(row, false, targets, texts);

        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            if (is_loopback(&targets[i]) || strcmp(targets[i].address, outside.source4) == 0)
                assert_string_equal(targets[i].source, "-");
            else
                assert_string_equal(targets[i].source, strchr(targets[i].address, ':')
                                                           ? outside.source6
                                                           : outside.source4);
        }
    }
}

/* On its own there is no such address, and its loopback interface is not this host's. */
static void test_of_its_own(void **state)
{
    (void)state;
    for (enum container_row row = CONTAINER_TCP; row <= CONTAINER_WIRESERVER; row++) {
        char texts[TARGETS_MAX][INET6_ADDRSTRLEN];
        struct target targets[TARGETS_MAX];
        const size_t n = targets_of(row, true, targets, texts);

        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            assert_string_equal(targets[i].source, "-");
            assert_false(is_loopback(&targets[i]));
        }
    }
}

static void test_others_have_none(void **state)
{
    static const enum container_row rows[] = { CONTAINER_READ, CONTAINER_SOCKET, CONTAINER_ABSTRACT,
                                               CONTAINER_VIEW, CONTAINER_WORLD_WRITE };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char texts[TARGETS_MAX][INET6_ADDRSTRLEN];
        struct target targets[TARGETS_MAX];

        assert_int_equal(targets_of(rows[i], false, targets, texts), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_the_session),
        cmocka_unit_test(test_of_its_own),
        cmocka_unit_test(test_others_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
