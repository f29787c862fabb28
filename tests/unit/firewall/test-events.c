/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/events.h"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conf/cleanup.h"

struct bytes {
    char data[4096];
    unsigned size;
};

/* A message about a table; table NULL: without attributes. */
static void put(struct bytes *bytes, unsigned type, uint8_t family, const char *table)
{
    const unsigned name_size = table ? (unsigned)strlen(table) + 1 : 0;
    const struct nlattr attribute = {
        .nla_len = (uint16_t)(sizeof attribute + name_size),
        .nla_type = NFTA_TABLE_NAME,
    };
    const struct nfgenmsg generic = { .nfgen_family = family };
    const struct nlmsghdr header = {
        .nlmsg_len =
            (uint32_t)(sizeof header + sizeof generic + (table ? NLA_ALIGN(attribute.nla_len) : 0)),
        .nlmsg_type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
    };
    char *p = bytes->data + bytes->size;

    memcpy(p, &header, sizeof header);
    memcpy(p + sizeof header, &generic, sizeof generic);
    if (table) {
        p += sizeof header + sizeof generic;
        memcpy(p, &attribute, sizeof attribute);
        memcpy(p + sizeof attribute, table, name_size);
    }
    bytes->size += NLMSG_ALIGN(header.nlmsg_len);
}

/* In a buffer of just its size. */
static unsigned look(const struct bytes *bytes, bool *ours)
{
    _cleanup_free_ char *copy = malloc(bytes->size + !bytes->size);
    unsigned transactions = 0;

    memcpy(copy, bytes->data, bytes->size);
    events_look(copy, bytes->size, ours, &transactions);
    return transactions;
}

static void test_transactions(void **state)
{
    struct bytes bytes = { 0 };
    bool ours = false;

    (void)state;
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam_sandbox");
    put(&bytes, NFT_MSG_NEWTABLE, NFPROTO_INET, "pam_sandbox");
    put(&bytes, NFT_MSG_NEWGEN, 0, NULL);
    assert_int_equal(look(&bytes, &ours), 1);
    assert_false(ours);
    put(&bytes, NFT_MSG_NEWRULE, NFPROTO_INET, "other");
    put(&bytes, NFT_MSG_NEWGEN, 0, NULL);
    put(&bytes, NFT_MSG_DELRULE, NFPROTO_INET, "pam_sandbox");
    put(&bytes, NFT_MSG_NEWGEN, 0, NULL);
    assert_int_equal(look(&bytes, &ours), 2);
}

static void test_not_ours(void **state)
{
    struct bytes bytes = { 0 };
    bool ours = false;

    (void)state;
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_IPV4, "pam_sandbox");
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam_sandbox2");
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam_sandbo");
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "");
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, NULL);
    put(&bytes, NFT_MSG_NEWGEN, 0, NULL);
    assert_int_equal(look(&bytes, &ours), 0);
    assert_false(ours);
    /* A name that ends with the buffer. */
    bytes.size = 0;
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam");
    assert_int_equal(look(&bytes, &ours), 0);
    assert_false(ours);
}

/* A transaction may come in pieces. */
static void test_pieces(void **state)
{
    struct bytes first = { 0 }, second = { 0 };
    bool ours = false;

    (void)state;
    put(&first, NFT_MSG_DELCHAIN, NFPROTO_INET, "pam_sandbox");
    assert_int_equal(look(&first, &ours), 0);
    assert_true(ours);
    put(&second, NFT_MSG_NEWGEN, 0, NULL);
    assert_int_equal(look(&second, &ours), 1);
    assert_false(ours);
}

static void test_cut_short(void **state)
{
    struct bytes bytes = { 0 };

    (void)state;
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam_sandbox");
    put(&bytes, NFT_MSG_NEWGEN, 0, NULL);
    for (const unsigned whole = bytes.size; bytes.size > 0; bytes.size--) {
        bool ours = false;

        assert_int_equal(look(&bytes, &ours), bytes.size == whole ? 1 : 0);
    }
    /* Sizes that lie. */
    put(&bytes, NFT_MSG_DELTABLE, NFPROTO_INET, "pam_sandbox");
    for (unsigned at = 0; at < bytes.size; at += 4)
        for (uint32_t value = 0; value < 0x40; value++) {
            struct bytes copy = bytes;
            bool ours = false;

            memcpy(copy.data + at, &value, sizeof value);
            (void)look(&copy, &ours);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_not_ours),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_cut_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
