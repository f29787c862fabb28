/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/ruleset.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "firewall/metadata.h"
#include "proxy/judge.h"

/* A packet on its way to a listener of this host is marked with its sandbox, so that the listener,
 * which is known only on the other side of the loopback interface, can be compared. The mark is
 * gone before any other table sees the packet come in. */
#define MARK 0x50000000U
#define MARK_MASK 0xf0000000U

#define IS_NOT_FIRST "tcp flags & (syn | ack) != syn"

static void write_address(int family, const uint8_t *address, FILE *out)
{
    char text[INET6_ADDRSTRLEN];

    fputs(inet_ntop(family, address, text, sizeof text), out);
}

/* Elements of a set, when it has some; nft takes no empty list. */
struct list {
    FILE *out;
    bool some;
};

static FILE *next(struct list *list)
{
    fputs(list->some ? ",\n\t\t\t" : "\t\telements = {\n\t\t\t", list->out);
    list->some = true;
    return list->out;
}

static void end(struct list *list)
{
    if (list->some)
        fputs("\n\t\t}\n", list->out);
    fputs("\t}\n", list->out);
}

static const char *family_name(int family)
{
    return family == AF_INET ? "ip" : "ip6";
}

static const char *address_type(int family)
{
    return family == AF_INET ? "ipv4_addr" : "ipv6_addr";
}

static const int families[] = { AF_INET, AF_INET6 };
#define N_FAMILIES (sizeof families / sizeof *families)

static void write_metadata(int family, FILE *out)
{
    struct list list = { .out = out };

    fprintf(out, "\tset metadata_%s {\n\t\ttype %s\n", family_name(family), address_type(family));
    for (size_t i = 0; i < n_metadata_addresses; i++)
        if (metadata_addresses[i].family == family)
            write_address(family, metadata_addresses[i].address, next(&list));
    end(&list);
}

/* What the proxy does not connect to, proxy/judge.h: the same table. */
static void write_not_global(int family, FILE *out)
{
    struct list list = { .out = out };

    /* Some of its ranges lie in others. */
    fprintf(out, "\tset not_global_%s {\n\t\ttype %s\n\t\tflags interval\n\t\tauto-merge\n",
            family_name(family), address_type(family));
    for (size_t i = 0; i < n_judge_ranges; i++)
        if (judge_ranges[i].family == family) {
            write_address(family, judge_ranges[i].address, next(&list));
            fprintf(out, "/%u", judge_ranges[i].prefix);
        }
    end(&list);
}

static void write_resolvers(const struct ruleset_input *input, int family, FILE *out)
{
    struct list list = { .out = out };

    fprintf(out, "\tset resolvers_%s {\n\t\ttype %s\n", family_name(family), address_type(family));
    for (size_t i = 0; i < input->n_resolvers; i++)
        if (input->resolvers[i].family == family)
            write_address(family, input->resolvers[i].address, next(&list));
    end(&list);
}

static void write_users(const struct ruleset_input *input, FILE *out)
{
    const struct config *config = input->config;
    struct list list = { .out = out };

    fputs("\tmap users {\n\t\ttype uid : verdict\n", out);
    for (size_t i = 0; i < config->n_sandboxes; i++)
        fprintf(next(&list), "%u : goto sandbox_%u", config->sandboxes[i].uid,
                config->sandboxes[i].uid);
    if (input->proxy_uid != RULESET_NO_UID)
        fprintf(next(&list), "%u : goto proxy", input->proxy_uid);
    if (input->lock_uid != RULESET_NO_UID && config->host.deny_metadata)
        fprintf(next(&list), "%u : goto metadata", input->lock_uid);
    end(&list);

    list.some = false;
    fputs("\tmap subordinates {\n\t\ttype uid : verdict\n\t\tflags interval\n", out);
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        const struct config_id_range *ids = &config->sandboxes[i].subids;

        if (ids->count > 0)
            fprintf(next(&list), "%" PRIu32 "-%" PRIu32 " : goto sandbox_%u", ids->start,
                    ids->start + ids->count - 1, config->sandboxes[i].uid);
    }
    for (size_t i = 0; i < input->n_lock_ids && config->host.deny_metadata; i++)
        fprintf(next(&list), "%" PRIu32 "-%" PRIu32 " : goto metadata", input->lock_ids[i].start,
                input->lock_ids[i].start + input->lock_ids[i].count - 1);
    end(&list);
}

static void write_direct(const struct config_sandbox *sandbox, int family, FILE *out)
{
    const struct config_egress *egress = &sandbox->egress;
    bool some = false;

    for (size_t i = 0; i < egress->n_direct; i++) {
        if (egress->direct[i].family != family)
            continue;
        if (some)
            fputs(", ", out);
        else
            fprintf(out, "\t\t%s daddr . tcp dport { ", family_name(family));
        write_address(family, egress->direct[i].address, out);
        fprintf(out, " . %u", egress->direct[i].port);
        some = true;
    }
    if (some)
        fprintf(out, " } counter name direct_%u accept\n", sandbox->uid);
}

/* To this host itself, whatever its address. */
static void write_local(const struct config_sandbox *sandbox, FILE *out)
{
    const struct config_local *local = &sandbox->local;

    fprintf(out, "\tchain local_%u {\n", sandbox->uid);
    /* A connection begins with a packet that is. */
    fputs("\t\t" IS_NOT_FIRST " accept\n", out);
    if (sandbox->egress.proxy)
        fprintf(out, "\t\tip daddr 127.0.0.1 tcp dport %u counter name proxy_%u accept\n",
                config_egress_port(sandbox), sandbox->uid);
    else
        fputs("\t\tmeta l4proto { tcp, udp } th dport 53 accept\n", out);
    for (size_t i = 0; i < local->n_allow_tcp_ports; i++)
        fprintf(out, "%s%u", i == 0 ? "\t\ttcp dport { " : ", ", local->allow_tcp_ports[i]);
    if (local->n_allow_tcp_ports > 0)
        fputs(" } accept\n", out);
    fprintf(out, "\t\tmeta l4proto tcp meta mark set 0x%08x accept\n", MARK | sandbox->uid);
    fprintf(out, "\t\tcounter name refused_%u goto refuse\n\t}\n", sandbox->uid);
}

static void write_sandbox(const struct config *config, const struct config_sandbox *sandbox,
                          FILE *out)
{
    fprintf(out, "\tcounter proxy_%u { }\n\tcounter direct_%u { }\n\tcounter refused_%u { }\n",
            sandbox->uid, sandbox->uid, sandbox->uid);
    write_local(sandbox, out);
    fprintf(out, "\tchain sandbox_%u {\n", sandbox->uid);
    if (config->host.deny_metadata)
        for (size_t i = 0; i < N_FAMILIES; i++)
            fprintf(out, "\t\t%s daddr @metadata_%s counter name refused_%u goto refuse\n",
                    family_name(families[i]), family_name(families[i]), sandbox->uid);
    for (size_t i = 0; i < N_FAMILIES; i++)
        write_direct(sandbox, families[i], out);
    fprintf(out, "\t\toif lo goto local_%u\n", sandbox->uid);
    if (sandbox->egress.proxy)
        fprintf(out, "\t\tcounter name refused_%u goto refuse\n", sandbox->uid);
    fputs("\t}\n", out);
}

/* It answers those who connected to it; it asks the host's resolvers, wherever they are; and beside
 * that it connects to what is globally reachable and not this host. */
static void write_proxy(FILE *out)
{
    fputs("\tchain proxy {\n\t\toif lo " IS_NOT_FIRST " accept\n", out);
    for (size_t i = 0; i < N_FAMILIES; i++)
        fprintf(out, "\t\t%s daddr @resolvers_%s meta l4proto { tcp, udp } th dport 53 accept\n",
                family_name(families[i]), family_name(families[i]));
    for (size_t i = 0; i < N_FAMILIES; i++)
        fprintf(out, "\t\t%s daddr @not_global_%s goto refuse\n", family_name(families[i]),
                family_name(families[i]));
    fputs("\t\toif lo goto refuse\n"
          "\t\tfib daddr type local goto refuse\n"
          "\t\tmeta l4proto != tcp goto refuse\n"
          "\t}\n",
          out);
}

int ruleset_write(const struct ruleset_input *input, FILE *out)
{
    const struct config *config = input->config;

    ruleset_write_removal(out);
    fputs("table " RULESET_FAMILY " " RULESET_TABLE " {\n", out);
    for (size_t i = 0; i < N_FAMILIES; i++) {
        write_metadata(families[i], out);
        write_not_global(families[i], out);
        write_resolvers(input, families[i], out);
    }
    /* The mark of each sandbox and the control group that it stands for. */
    fputs("\tset own {\n\t\ttype mark . cgroupsv2\n\t}\n", out);

    /* An answer for each: a TCP client takes nothing but a reset for one. */
    fputs("\tchain refuse {\n"
          "\t\tmeta l4proto tcp reject with tcp reset\n"
          "\t\treject with icmpx admin-prohibited\n"
          "\t}\n"
          "\tchain metadata {\n",
          out);
    for (size_t i = 0; i < N_FAMILIES; i++)
        fprintf(out, "\t\t%s daddr @metadata_%s goto refuse\n", family_name(families[i]),
                family_name(families[i]));
    fputs("\t}\n", out);
    write_proxy(out);
    for (size_t i = 0; i < config->n_sandboxes; i++)
        write_sandbox(config, &config->sandboxes[i], out);
    write_users(input, out);

    /* Users have 16 bits and subordinate ids more, conf/options.c: a user's packet is spared the
     * tree.
     * Behind the other tables' filters: what those refuse is refused, and nothing that they do
     * changes where a packet goes after it was judged. */
    fputs("\tchain output {\n"
          "\t\ttype filter hook output priority filter + 10; policy accept;\n"
          "\t\tmeta skuid vmap @users\n"
          "\t\tmeta skuid >= 65536 meta skuid vmap @subordinates\n"
          "\t}\n",
          out);
    fprintf(out,
            "\tchain listener {\n"
            "\t\tmeta mark . socket cgroupv2 level 2 @own meta mark set 0 accept\n"
            "\t\tgoto refuse\n"
            "\t}\n"
            "\tchain arrival {\n"
            "\t\ttype filter hook prerouting priority raw - 10; policy accept;\n"
            "\t\tiif lo meta mark & 0x%08x == 0x%08x goto listener\n"
            "\t}\n"
            "}\n",
            MARK_MASK, MARK);
    return ruleset_write_slices(input, out);
}

int ruleset_write_removal(FILE *out)
{
    /* Adding what is there is no error, deleting what is not there is one. */
    fputs("table " RULESET_FAMILY " " RULESET_TABLE "\n"
          "delete table " RULESET_FAMILY " " RULESET_TABLE "\n",
          out);
    return ferror(out) ? -EIO : 0;
}

void ruleset_slice(const struct config_sandbox *sandbox, char slice[static RULESET_SLICE_SIZE])
{
    (void)snprintf(slice, RULESET_SLICE_SIZE, "user.slice/user-%u.slice", sandbox->uid);
}

int ruleset_write_slices(const struct ruleset_input *input, FILE *out)
{
    fputs("flush set " RULESET_FAMILY " " RULESET_TABLE " own\n", out);
    for (size_t i = 0; input->slices && i < input->config->n_sandboxes; i++) {
        const struct config_sandbox *sandbox = &input->config->sandboxes[i];
        char slice[RULESET_SLICE_SIZE];

        if (!input->slices[i])
            continue;
        ruleset_slice(sandbox, slice);
        fprintf(out, "add element " RULESET_FAMILY " " RULESET_TABLE " own { 0x%08x . \"%s\" }\n",
                MARK | sandbox->uid, slice);
    }
    return ferror(out) ? -EIO : 0;
}
