/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clients of common registries: each reads an origin by its environment alone, and believes the
 * proxy's certificates. */
#include "sandboxctl/probes/ask.h"
#include "sandboxctl/probes/egress.h"
#include "sandboxctl/probes/outside.h"
#include "sandboxctl/probes/place.h"

#include "conf/cleanup.h"

#include <stdio.h>
#include <string.h>

#define ARGUMENTS_MAX 12

struct client {
    const char *name;
    const char *arguments[ARGUMENTS_MAX]; /* with {url}, where it reads, and {origin}, an address */
    const char *found;                    /* what it prints of the origin's */
};

/* One try, as the second answer will be no other. pip reads nothing by plain HTTP from a host that
 * it was not told of, and with less than -vv it does not say what it was answered. */
static const struct client clients[] = {
    { "git", { "git", "ls-remote", "{url}/" OUTSIDE_WORD ".git" }, "refs/heads/" OUTSIDE_WORD },
    { "npm",
      { "npm", "view", OUTSIDE_WORD, "version", "--registry={url}/", "--fetch-retries=0" },
      "1.2.3" },
    { "pip",
      { "pip", "-vv", "--disable-pip-version-check", "--retries=0", "--trusted-host={origin}",
        "index", "versions", OUTSIDE_WORD, "--index-url={url}/simple" },
      "1.2.3" },
    { "cargo",
      { "cargo", "search", "--config=net.retry=0", "--index=sparse+{url}/index/", OUTSIDE_WORD },
      "1.2.3" },
    { "wget", { "wget", "--no-verbose", "--tries=1", "-O-", "{url}/" }, OUTSIDE_WORD },
};

static const struct client *find(const char *name)
{
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (strcmp(clients[i].name, name) == 0)
            return &clients[i];
    return NULL;
}

/* Whether its output has the words; the last line of it is put into output. */
static bool prints(const struct client *client, const char *scheme, const char *host,
                   const char *origin, const char *words, char *output, size_t size)
{
    char text[ARGUMENTS_MAX][400];
    const char *command[ARGUMENTS_MAX + 1] = {};
    char url[300], half[400];

    snprintf(url, sizeof url, "%s://%s", scheme, host);
    for (size_t i = 0; i < ARGUMENTS_MAX && client->arguments[i]; i++) {
        fill_in(client->arguments[i], "{url}", url, half, sizeof half);
        fill_in(half, "{origin}", origin, text[i], sizeof text[i]);
        command[i] = text[i];
    }
    int r = attempt_capture(command, "", output, size);
    if (r < 0) {
        snprintf(output, size, "%s", strerror(-r));
        return false;
    }
    return strstr(output, words);
}

/* client NAME ORIGIN HOST: gets through when it reads the origin, and hears by TLS from the proxy
 * that the host, which is not there, is not there: 502. */
enum attempt_result attempt_client(int argc, char **argv)
{
    const struct client *client = argc == 4 ? find(argv[1]) : NULL;
    char output[8192];

    if (!client)
        return attempt_say(ATTEMPT_UNTRIED, "no client to run");
    if (!prints(client, "http", argv[2], argv[2], client->found, output, sizeof output))
        return attempt_say(ATTEMPT_REFUSED, "%s reading http://%s: %s", client->name, argv[2],
                           attempt_last_line(output));
    if (!prints(client, "https", argv[3], argv[2], " 502", output, sizeof output))
        return attempt_say(ATTEMPT_REFUSED, "%s and the proxy's certificate for %s: %s",
                           client->name, argv[3], attempt_last_line(output));
    return attempt_say(ATTEMPT_THROUGH, "%s: reads through the proxy", client->name);
}

static bool is_installed(const char *name)
{
    static const char *const directories[] = { "/usr/local/bin", "/usr/bin", "/bin" };
    char path[64];

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        snprintf(path, sizeof path, "%s/%s", directories[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static void probe_client(struct probe_run *run, const char *name)
{
    const struct place sandbox = PLACE_SANDBOX(run);

    if (egress_is_off(run) || reads_are_limited(run))
        return;
    if (!is_installed(name)) {
        probe_skip(run, "this host has no %s", name);
        return;
    }
    if (outside_is_missing(run))
        return;
    struct call calls[] = { CALL("client", name, run->outside->origin4, OUTSIDE_HOST) };
    place_run(run, &sandbox, calls, 1);
    place_judge_control(run, calls);
}

void probe_egress_git(struct probe_run *run)
{
    probe_client(run, "git");
}

void probe_egress_npm(struct probe_run *run)
{
    probe_client(run, "npm");
}

void probe_egress_pip(struct probe_run *run)
{
    probe_client(run, "pip");
}

void probe_egress_cargo(struct probe_run *run)
{
    probe_client(run, "cargo");
}

/* It looks at no variable for what to trust: GnuTLS has the path built in. */
void probe_egress_wget(struct probe_run *run)
{
    if (!run->sandbox->filesystem_view)
        probe_skip(run, "filesystem-view is false: without it wget trusts what the host does");
    else
        probe_client(run, "wget");
}
