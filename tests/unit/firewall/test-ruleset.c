/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of the table: what stands in it, and what cannot. That nftables takes it and packets
 * meet it is tests/system's matter. */

#include "firewall/ruleset.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "conf/cleanup.h"

static char *no_list[] = { NULL };

static struct config_sandbox sandbox(const char *name, uid_t uid, uint32_t subids)
{
    return (struct config_sandbox){
        .name = (char *)name,
        .uid = uid,
        .subids = { .start = subids, .count = subids ? 65536 : 0 },
        .groups = no_list,
        .egress = { .proxy = true, .allow = no_list },
        .local = { .allow_sockets = no_list },
    };
}

static char *text_of(const struct ruleset_input *input)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(ruleset_write(input, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What stands between "NAME {\n" and the brace that closes it, without leading tabs. */
static char *block(const char *text, const char *name)
{
    char head[64], *body, *out;
    const char *begin, *end;

    (void)snprintf(head, sizeof head, "\n\t%s {\n", name);
    begin = strstr(text, head);
    if (!begin)
        fail_msg("there is no %s", name);
    begin += strlen(head);
    end = strstr(begin, "\n\t}\n");
    assert_non_null(end);
    body = out = strndup(begin, (size_t)(end - begin) + 1);
    for (const char *p = body; *p; p++)
        if (*p != '\t')
            *out++ = *p;
    *out = '\0';
    return body;
}

static void block_is(const char *text, const char *name, const char *expected)
{
    _cleanup_free_ char *body = block(text, name);

    assert_string_equal(body, expected);
}

static void test_one_sandbox(void **state)
{
    struct config_sandbox agent = sandbox("agent", 59000, 1785000000);
    const struct config config = {
        .host.deny_metadata = true,
        .sandboxes = &agent,
        .n_sandboxes = 1,
    };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = RULESET_NO_UID,
        .lock_uid = RULESET_NO_UID,
    };
    _cleanup_free_ char *text = text_of(&input);

    (void)state;
    /* One transaction: what was there goes with what comes. */
    assert_int_equal(strncmp(text,
                             "table inet pam_sandbox\ndelete table inet pam_sandbox\n"
                             "table inet pam_sandbox {\n",
                             78),
                     0);
    block_is(text, "map users",
             "type uid : verdict\nelements = {\n59000 : goto sandbox_59000\n}\n");
    block_is(text, "map subordinates",
             "type uid : verdict\nflags interval\nelements = {\n"
             "1785000000-1785065535 : goto sandbox_59000\n}\n");
    block_is(text, "chain sandbox_59000",
             "ip daddr @metadata_ip counter name refused_59000 goto refuse\n"
             "ip6 daddr @metadata_ip6 counter name refused_59000 goto refuse\n"
             "oif lo goto local_59000\n"
             "counter name refused_59000 goto refuse\n");
    block_is(text, "chain local_59000",
             "tcp flags & (syn | ack) != syn accept\n"
             "ip daddr 127.0.0.1 tcp dport 26232 counter name proxy_59000 accept\n"
             "meta l4proto tcp meta mark set 0x5000e678 accept\n"
             "counter name refused_59000 goto refuse\n");
    block_is(text, "chain output",
             "type filter hook output priority filter + 10; policy accept;\n"
             "meta skuid vmap @users\nmeta skuid >= 65536 meta skuid vmap @subordinates\n");
    block_is(text, "chain arrival",
             "type filter hook prerouting priority raw - 10; policy accept;\n"
             "iif lo meta mark & 0xf0000000 == 0x50000000 goto listener\n");
    block_is(text, "chain listener",
             "meta mark . socket cgroupv2 level 2 @own meta mark set 0 accept\ngoto refuse\n");
    /* Nothing is dropped, nor let through because it was before. */
    assert_null(strstr(text, "drop"));
    assert_null(strstr(text, "ct state"));
    assert_null(strstr(text, "agent"));
}

static void test_every_option(void **state)
{
    struct config_sandbox agent = sandbox("agent", 59000, 0);
    struct config_endpoint direct[] = {
        { AF_INET, { 100, 64, 0, 7 }, 8443 },
        { AF_INET6, { 0xfd, [15] = 7 }, 443 },
        { AF_INET, { 192, 0, 2, 1 }, 22 },
    };
    uint16_t ports[] = { 5432, 6379 };
    const struct config config = { .sandboxes = &agent, .n_sandboxes = 1 };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = RULESET_NO_UID,
        .lock_uid = RULESET_NO_UID,
    };

    (void)state;
    agent.egress.direct = direct;
    agent.egress.n_direct = 3;
    agent.egress.port = 3128;
    agent.local.allow_tcp_ports = ports;
    agent.local.n_allow_tcp_ports = 2;
    _cleanup_free_ char *text = text_of(&input);
    block_is(text, "map subordinates", "type uid : verdict\nflags interval\n");
    block_is(text, "chain sandbox_59000",
             "ip daddr . tcp dport { 100.64.0.7 . 8443, 192.0.2.1 . 22 } counter name direct_59000 "
             "accept\n"
             "ip6 daddr . tcp dport { fd00::7 . 443 } counter name direct_59000 accept\n"
             "oif lo goto local_59000\n"
             "counter name refused_59000 goto refuse\n");
    block_is(text, "chain local_59000",
             "tcp flags & (syn | ack) != syn accept\n"
             "ip daddr 127.0.0.1 tcp dport 3128 counter name proxy_59000 accept\n"
             "tcp dport { 5432, 6379 } accept\n"
             "meta l4proto tcp meta mark set 0x5000e678 accept\n"
             "counter name refused_59000 goto refuse\n");
}

/* It reaches any address, but for metadata and what listens on this host. */
static void test_without_a_proxy(void **state)
{
    struct config_sandbox agent = sandbox("agent", 59000, 0);
    const struct config config = {
        .host.deny_metadata = true,
        .sandboxes = &agent,
        .n_sandboxes = 1,
    };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = RULESET_NO_UID,
        .lock_uid = RULESET_NO_UID,
    };

    (void)state;
    agent.egress.proxy = false;
    _cleanup_free_ char *text = text_of(&input);
    block_is(text, "chain sandbox_59000",
             "ip daddr @metadata_ip counter name refused_59000 goto refuse\n"
             "ip6 daddr @metadata_ip6 counter name refused_59000 goto refuse\n"
             "oif lo goto local_59000\n");
    block_is(text, "chain local_59000",
             "tcp flags & (syn | ack) != syn accept\n"
             "meta l4proto { tcp, udp } th dport 53 accept\n"
             "meta l4proto tcp meta mark set 0x5000e678 accept\n"
             "counter name refused_59000 goto refuse\n");
}

static void test_proxies_and_the_locked_user(void **state)
{
    struct ruleset_address resolvers[] = {
        { AF_INET, { 127, 0, 0, 53 } },
        { AF_INET6, { 0x20, 0x01, [15] = 1 } },
    };
    const struct config_id_range ids[] = { { 100000, 65536 } };
    struct config config = { .host.deny_metadata = true };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = 990,
        .lock_uid = 1000,
        .lock_ids = ids,
        .n_lock_ids = 1,
        .resolvers = resolvers,
        .n_resolvers = 2,
    };
    _cleanup_free_ char *text = text_of(&input), *open = NULL;

    (void)state;
    block_is(text, "map users",
             "type uid : verdict\nelements = {\n990 : goto proxy,\n1000 : goto metadata\n}\n");
    block_is(
        text, "map subordinates",
        "type uid : verdict\nflags interval\nelements = {\n100000-165535 : goto metadata\n}\n");
    block_is(text, "set resolvers_ip", "type ipv4_addr\nelements = {\n127.0.0.53\n}\n");
    block_is(text, "set resolvers_ip6", "type ipv6_addr\nelements = {\n2001::1\n}\n");
    block_is(text, "chain metadata",
             "ip daddr @metadata_ip goto refuse\nip6 daddr @metadata_ip6 goto refuse\n");
    block_is(text, "chain proxy",
             "oif lo tcp flags & (syn | ack) != syn accept\n"
             "ip daddr @resolvers_ip meta l4proto { tcp, udp } th dport 53 accept\n"
             "ip6 daddr @resolvers_ip6 meta l4proto { tcp, udp } th dport 53 accept\n"
             "ip daddr @not_global_ip goto refuse\n"
             "ip6 daddr @not_global_ip6 goto refuse\n"
             "oif lo goto refuse\n"
             "fib daddr type local goto refuse\n"
             "meta l4proto != tcp goto refuse\n");
    _cleanup_free_ char *v4 = block(text, "set metadata_ip"), *v6 = block(text, "set metadata_ip6");
    _cleanup_free_ char *ranges = block(text, "set not_global_ip");
    assert_non_null(strstr(v4, "\n169.254.169.254,"));
    assert_non_null(strstr(v4, "\n168.63.129.16,"));
    assert_non_null(strstr(v6, "\nfd00:ec2::254,"));
    assert_non_null(strstr(v6, "\nfe80::a9fe:a9fe,"));
    assert_non_null(strstr(ranges, "\n100.64.0.0/10,"));
    assert_non_null(strstr(ranges, "\n127.0.0.0/8,"));

    config.host.deny_metadata = false;
    open = text_of(&input);
    block_is(open, "map users", "type uid : verdict\nelements = {\n990 : goto proxy\n}\n");
    block_is(open, "map subordinates", "type uid : verdict\nflags interval\n");
}

static void test_slices(void **state)
{
    struct config_sandbox list[] = { sandbox("a", 1000, 0), sandbox("b", 1001, 0),
                                     sandbox("c", 59999, 0) };
    const struct config config = { .sandboxes = list, .n_sandboxes = 3 };
    const bool slices[] = { true, false, true };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = RULESET_NO_UID,
        .lock_uid = RULESET_NO_UID,
        .slices = slices,
    };
    static const char expected[] =
        "flush set inet pam_sandbox own\n"
        "add element inet pam_sandbox own { 0x500003e8 . \"user.slice/user-1000.slice\" }\n"
        "add element inet pam_sandbox own { 0x5000ea5f . \"user.slice/user-59999.slice\" }\n";
    _cleanup_free_ char *whole = text_of(&input), *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(ruleset_write_slices(&input, out), 0);
    fclose(out);
    assert_string_equal(text, expected);
    /* And in the transaction that makes the table anew. */
    assert_string_equal(whole + strlen(whole) - strlen(expected), expected);
}

/* No sandbox's rules grow with the number of sandboxes. */
static void test_a_thousand(void **state)
{
    enum { n = 1000 };
    static struct config_sandbox list[n];
    const struct config config = { .sandboxes = list, .n_sandboxes = n };
    const struct ruleset_input input = {
        .config = &config,
        .proxy_uid = 990,
        .lock_uid = RULESET_NO_UID,
    };

    (void)state;
    for (int i = 0; i < n; i++)
        list[i] = sandbox("s", (uid_t)(1000 + i), (uint32_t)(1000000 + i * 65536));
    _cleanup_free_ char *text = text_of(&input);
    block_is(text, "chain output",
             "type filter hook output priority filter + 10; policy accept;\n"
             "meta skuid vmap @users\nmeta skuid >= 65536 meta skuid vmap @subordinates\n");
    assert_non_null(strstr(text, "\t1999 : goto sandbox_1999,"));
    assert_non_null(strstr(text, "\t66470464-66535999 : goto sandbox_1999\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sandbox),     cmocka_unit_test(test_every_option),
        cmocka_unit_test(test_without_a_proxy), cmocka_unit_test(test_proxies_and_the_locked_user),
        cmocka_unit_test(test_slices),          cmocka_unit_test(test_a_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
