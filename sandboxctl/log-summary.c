/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/log-summary.h"

#include "conf/cleanup.h"
#include "sandboxctl/format.h"
#include "sandboxctl/table.h"

#include <inttypes.h>
#include <search.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct log_summary_host *)a)->host,
                  ((const struct log_summary_host *)b)->host);
}

static struct log_summary_host *find_host(struct log_summary *summary, const char *name)
{
    const struct log_summary_host key = { .host = (char *)name };
    struct log_summary_host **known = tfind(&key, &summary->by_name, by_name);

    if (known)
        return *known;
    if (summary->n_hosts >= LOG_SUMMARY_HOSTS)
        return &summary->others;

    struct log_summary_host *host = calloc(1, sizeof(*host));
    if (host)
        host->host = strdup(name);
    if (!host || !host->host || !tsearch(host, &summary->by_name, by_name)) {
        if (host)
            free(host->host);
        free(host);
        return NULL;
    }
    summary->n_hosts++;
    return host;
}

int log_summary_add(struct log_summary *summary, const struct log_entry *entry)
{
    if (entry->outcome == LOG_LOST) {
        summary->lost += entry->lost;
        return 0;
    }

    struct log_summary_host *host = find_host(summary, *entry->host ? entry->host : "-");
    if (!host)
        return -ENOMEM;
    host->count[entry->outcome]++;
    host->sent += entry->sent;
    host->received += entry->received;
    return 0;
}

struct list {
    const struct log_summary_host **hosts;
    size_t n;
};

static void collect(const void *node, VISIT visit, void *closure)
{
    struct list *list = closure;

    if (visit == postorder || visit == leaf)
        list->hosts[list->n++] = *(const struct log_summary_host *const *)node;
}

static uint64_t asked(const struct log_summary_host *host)
{
    return host->count[LOG_PASSED] + host->count[LOG_REFUSED] + host->count[LOG_FAILED];
}

static int by_interest(const void *a, const void *b)
{
    const struct log_summary_host *first = *(const struct log_summary_host *const *)a;
    const struct log_summary_host *second = *(const struct log_summary_host *const *)b;
    const uint64_t refused[] = { first->count[LOG_REFUSED], second->count[LOG_REFUSED] };

    if (refused[0] != refused[1])
        return refused[0] > refused[1] ? -1 : 1;
    if (asked(first) != asked(second))
        return asked(first) > asked(second) ? -1 : 1;
    return strcmp(first->host, second->host);
}

static void add_row(struct table *table, const char *name, const struct log_summary_host *host)
{
    char sent[FORMAT_SIZE], received[FORMAT_SIZE];

    table_add(table, "%s", name);
    for (int outcome = LOG_PASSED; outcome <= LOG_FAILED; outcome++)
        table_add(table, "%" PRIu64, host->count[outcome]);
    table_add(table, "%s", format_bytes(sent, host->sent));
    table_add(table, "%s", format_bytes(received, host->received));
}

int log_summary_print(const struct log_summary *summary, FILE *out)
{
    static const char *const heads[] = {
        "HOST", "PASSED", "REFUSED", "FAILED", "SENT", "RECEIVED"
    };
    _cleanup_table_ struct table table = { .n_columns = sizeof(heads) / sizeof(heads[0]) };
    _cleanup_free_ const struct log_summary_host **hosts =
        calloc(summary->n_hosts + 1, sizeof(struct log_summary_host *));
    struct list list = { .hosts = hosts };

    if (!hosts)
        return -ENOMEM;
    twalk_r(summary->by_name, collect, &list);
    qsort(hosts, list.n, sizeof(*hosts), by_interest);
    for (size_t i = 0; i < table.n_columns; i++)
        table_add(&table, "%s", heads[i]);
    for (size_t i = 0; i < list.n; i++)
        add_row(&table, hosts[i]->host, hosts[i]);
    if (asked(&summary->others) > 0)
        add_row(&table, "others", &summary->others);
    int r = table_print(&table, 0, out);
    if (r == 0 && summary->lost > 0)
        fprintf(out, "%" PRIu64 " records were lost; the journal says why\n", summary->lost);
    return r;
}

static void free_host(void *node)
{
    struct log_summary_host *host = node;

    free(host->host);
    free(host);
}

void log_summary_done(struct log_summary *summary)
{
    tdestroy(summary->by_name, free_host);
    *summary = (struct log_summary){};
}
