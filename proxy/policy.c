/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cleanup.h"
#include "conf/egress-path.h"
#include "proxy/feed.h"
#include "proxy/policy-new.h"

_Static_assert(POLICY_RULE_SIZE == EGRESS_NAME_SIZE, "room for every name");

/* A host that a rule names, for a binary search. */
struct rule_host {
    const char *text; /* of the rule, with its port; not terminated behind the name */
    size_t size;      /* of the name */
    uint16_t port;    /* 0: 80 and 443 */
    const struct egress_rule *rule;
};

struct policy {
    struct egress_policy *egress;
    char **allow; /* names, and *.NAME for what is below; empty: every host */
    struct feed *feed;
    struct rule_host *hosts; /* by name, then in the order of the rules */
    size_t n_hosts;
};

static int compare_names(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);

    return order ? order : a_size < b_size ? -1 : a_size > b_size;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct rule_host *first = a, *second = b;
    int order = compare_names(first->text, first->size, second->text, second->size);

    return order ? order : first->rule < second->rule ? -1 : first->rule > second->rule;
}

static int index_hosts(struct policy *policy)
{
    const struct egress_policy *egress = policy->egress;
    size_t n = 0;

    for (size_t i = 0; i < egress->n_rules; i++)
        for (char **host = egress->rules[i].hosts; *host; host++)
            n++;
    policy->hosts = calloc(n + 1, sizeof *policy->hosts);
    if (!policy->hosts)
        return -ENOMEM;
    for (size_t i = 0; i < egress->n_rules; i++)
        for (char **host = egress->rules[i].hosts; *host; host++) {
            const size_t size = strcspn(*host, ":");

            policy->hosts[policy->n_hosts++] = (struct rule_host){
                .text = *host,
                .size = size,
                .port = (*host)[size] ? (uint16_t)strtoul(*host + size + 1, NULL, 10) : 0,
                .rule = &egress->rules[i],
            };
        }
    qsort(policy->hosts, n, sizeof *policy->hosts, compare_hosts);
    return 0;
}

static int copy_list(char *const *list, char ***ret)
{
    size_t n = 0;

    while (list[n])
        n++;
    *ret = calloc(n + 1, sizeof **ret);
    for (size_t i = 0; *ret && i < n; i++)
        if (!((*ret)[i] = strdup(list[i])))
            return -ENOMEM;
    return *ret ? 0 : -ENOMEM;
}

int policy_new(struct egress_policy *egress, char *const *allow, struct feed *feed,
               struct policy **ret)
{
    _cleanup_(policy_freep) struct policy *policy = calloc(1, sizeof *policy);
    int r;

    if (!policy) {
        egress_free(egress);
        return -ENOMEM;
    }
    policy->egress = egress;
    policy->feed = feed_ref(feed);
    r = copy_list(allow, &policy->allow);
    if (r == 0)
        r = index_hosts(policy);
    if (r == 0)
        *ret = steal_ptr(policy);
    return r;
}

struct feed *policy_feed(const struct policy *policy)
{
    return policy->feed;
}

void policy_free(struct policy *policy)
{
    if (!policy)
        return;
    egress_free(policy->egress);
    cleanup_strvp(&policy->allow);
    feed_unref(policy->feed);
    free(policy->hosts);
    free(policy);
}

/* What struct policy_request promises about its fields, as far as a decision rests on it. */
static bool is_well_formed(const struct policy_request *request)
{
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-";

    if (!request->method || !request->host || !request->path || request->port == 0)
        return false;
    for (const char *p = request->method; *p; p++)
        if (!strchr(upper, *p))
            return false;
    for (const char *p = request->host; *p; p++)
        if (!strchr(lower, *p) && !strchr(digits, *p) && !strchr("-_.:", *p))
            return false;
    if (!*request->method || !*request->host)
        return false;
    if (request->path_size == 1 && *request->path == '*')
        return strcmp(request->method, "OPTIONS") == 0;
    return request->path_size > 0 && *request->path == '/';
}

static bool is_allowed_host(const struct policy *policy, const char *host)
{
    const size_t size = strlen(host);

    if (!policy->allow[0])
        return true;
    for (char **allow = policy->allow; *allow; allow++) {
        const char *suffix = *allow + 1; /* ".NAME" of "*.NAME" */
        const size_t n = strlen(suffix);

        if (**allow != '*' ? strcmp(*allow, host) == 0
                           : size > n && strcmp(host + size - n, suffix) == 0)
            return true;
    }
    return false;
}

/* RFC 9110, 9.2.1, but for TRACE, which shows what the proxy adds. */
static bool is_safe(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
           strcmp(method, "OPTIONS") == 0;
}

static bool has(char *const *list, const char *text)
{
    while (*list && strcmp(*list, text) != 0)
        list++;
    return *list;
}

static bool allows(const struct egress_rule *rule, const struct policy_request *request)
{
    const bool websocket = request->upgrade == POLICY_UPGRADE_WEBSOCKET;

    if (websocket != (rule->upgrade == EGRESS_UPGRADE_WEBSOCKET) ||
        (websocket && request->has_body) || !has(rule->methods, request->method))
        return false;
    for (char **path = rule->paths; *path; path++)
        if (egress_match_path(*path, request->path, request->path_size))
            return true;
    return false;
}

static const struct egress_rule *find_rule(const struct policy *policy,
                                           const struct policy_request *request)
{
    const size_t size = strlen(request->host);
    size_t low = 0, high = policy->n_hosts;

    while (low < high) { /* the first of that name */
        const size_t middle = low + (high - low) / 2;
        const struct rule_host *host = &policy->hosts[middle];

        if (compare_names(host->text, host->size, request->host, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < policy->n_hosts; low++) {
        const struct rule_host *host = &policy->hosts[low];

        if (compare_names(host->text, host->size, request->host, size) != 0)
            break;
        if ((host->port ? request->port == host->port
                        : request->port == 80 || request->port == 443) &&
            allows(host->rule, request))
            return host->rule;
    }
    return NULL;
}

static void decide(struct policy_verdict *verdict, enum policy_reason reason, const char *rule)
{
    verdict->allowed = reason == POLICY_REASON_ALLOWED;
    verdict->reason = reason;
    strcpy(verdict->rule, rule); /* names are shorter */
}

void policy_decide(const struct policy *policy, const struct policy_request *request,
                   struct policy_verdict *verdict)
{
    const struct egress_rule *rule;

    if (!is_well_formed(request))
        decide(verdict, POLICY_REASON_MALFORMED, "");
    else if (policy->feed && feed_has(policy->feed, request->host))
        decide(verdict, POLICY_REASON_HOST_FEED, "feed");
    else if (!is_allowed_host(policy, request->host))
        decide(verdict, POLICY_REASON_HOST_NOT_LISTED, "allow");
    else if (request->upgrade == POLICY_UPGRADE_NONE && !request->has_body &&
             is_safe(request->method))
        decide(verdict, POLICY_REASON_ALLOWED, "read");
    else if (request->upgrade != POLICY_UPGRADE_NONE &&
             request->upgrade != POLICY_UPGRADE_WEBSOCKET)
        decide(verdict, POLICY_REASON_UPGRADE, "");
    else if ((rule = find_rule(policy, request)))
        decide(verdict, POLICY_REASON_ALLOWED, rule->name);
    else if (request->upgrade == POLICY_UPGRADE_WEBSOCKET)
        decide(verdict, POLICY_REASON_UPGRADE, "");
    else
        decide(verdict, is_safe(request->method) ? POLICY_REASON_BODY : POLICY_REASON_METHOD, "");
}

int policy_normalise_path(char *path, size_t *size)
{
    return egress_normalise_path(path, size);
}
