/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/setting.h"

#include "conf/cleanup.h"
#include "conf/egress-policy.h"
#include "conf/paths.h"

#include <arpa/inet.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

static bool is_address(const char *word)
{
    unsigned char bytes[16];

    return inet_pton(AF_INET, word, bytes) == 1 || inet_pton(AF_INET6, word, bytes) == 1;
}

static bool take_name(const char *word, char *host, size_t size)
{
    if (strncmp(word, "*.", 2) == 0)
        word += 2;
    if (is_address(word) || !strchr(word, '.') || strlen(word) >= size)
        return false;
    strcpy(host, word);
    return true;
}

bool setting_feed_host(const char *text, char *host, size_t size)
{
    _cleanup_free_ char *copy = strdup(text);
    char *save = NULL;

    for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        char *words = NULL;

        line[strcspn(line, "#")] = '\0';
        for (char *word = strtok_r(line, " \t\r", &words); word;
             word = strtok_r(NULL, " \t\r", &words))
            if (take_name(word, host, size))
                return true;
    }
    return false;
}

static void find_feed_host(struct setting *setting, const char *sandbox)
{
    _cleanup_(egress_freep) struct egress_policy *policy = NULL;
    _cleanup_fclose_ FILE *file = NULL;
    char text[8192];
    size_t n;

    if (egress_load_snapshot("", sandbox, NULL, NULL, &policy) < 0 || !policy->feed_file ||
        !(file = fopen(policy->feed_file, "re")))
        return;
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    if (!setting_feed_host(text, setting->feed_host, sizeof setting->feed_host))
        *setting->feed_host = '\0';
}

void setting_begin(struct setting *setting, const struct config *config,
                   const struct config_sandbox *sandbox, enum probe_needs needs, const char *token,
                   const char *directory)
{
    const struct passwd *entry = getpwnam(EGRESS_USER);
    const uid_t uid = entry ? entry->pw_uid : (uid_t)-1;
    const gid_t gid = entry ? entry->pw_gid : (gid_t)-1;

    if (needs == PROBE_NEEDS_NOTHING || !outside_begin(&setting->outside, token, uid) ||
        needs != PROBE_NEEDS_TWIN || !sandbox->egress.proxy)
        return;
    find_feed_host(setting, sandbox->name);
    twin_begin(&setting->twin, config, sandbox, &setting->outside,
               *setting->feed_host ? setting->feed_host : NULL, directory, uid, gid);
}

void setting_end(struct setting *setting)
{
    twin_end(&setting->twin);
    outside_end(&setting->outside);
}
