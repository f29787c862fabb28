/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl denials: what the kernel policy denied, from the journal. */
#include "bpf/denial-message.h"
#include "conf/cleanup.h"
#include "sandboxctl/denials-entry.h"
#include "sandboxctl/denials-since.h"
#include "sandboxctl/door-ask.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>
#include <string.h>
#include <systemd/sd-id128.h>
#include <time.h>

/* What --follow shows of the past. */
#define FOLLOW_ENTRIES 10

struct request {
    const char *name;  /* NULL: every sandbox */
    const char *since; /* NULL: from the beginning */
    bool follow;
    bool json;
};

/* Entries of ours, and nobody else's with the same MESSAGE_ID: _UID is what the kernel says of the
 * sender. */
static int add_matches(sd_journal *journal, const struct request *request)
{
    _cleanup_free_ char *match = NULL;

    int r = sd_journal_add_match(journal, "MESSAGE_ID=" DENIAL_MESSAGE_ID, 0);
    if (r >= 0)
        r = sd_journal_add_match(journal, "MESSAGE_ID=" DENIAL_MESSAGE_ID_REST, 0);
    if (r >= 0)
        r = sd_journal_add_match(journal, "_UID=0", 0);
    if (r < 0 || !request->name)
        return r;
    if (asprintf(&match, "SANDBOX=%s", request->name) < 0) {
        match = NULL;
        return -ENOMEM;
    }
    return sd_journal_add_match(journal, match, 0);
}

static int seek_boot(sd_journal *journal)
{
    sd_id128_t boot;

    int r = sd_id128_get_boot(&boot);
    return r < 0 ? r : sd_journal_seek_monotonic_usec(journal, boot, 0);
}

/* Before the first entry that is to be shown; -EINVAL: not a time. */
static int seek(sd_journal *journal, const struct request *request)
{
    struct timespec now;
    uint64_t usec;

    if (request->since && strcmp(request->since, "boot") == 0)
        return seek_boot(journal);
    if (request->since) {
        clock_gettime(CLOCK_REALTIME, &now);
        int r = denials_since_parse(
            request->since, (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000, &usec);
        return r < 0 ? r : sd_journal_seek_realtime_usec(journal, usec);
    }
    if (!request->follow)
        return sd_journal_seek_head(journal);
    int r = sd_journal_seek_tail(journal);
    if (r >= 0)
        r = sd_journal_previous_skip(journal, FOLLOW_ENTRIES + 1);
    /* Not that many: all of them. */
    return r < 0 || r == FOLLOW_ENTRIES + 1 ? r : sd_journal_seek_head(journal);
}

static int print(const struct denials_entry *entry, const struct request *request, bool is_first)
{
    if (request->json)
        return denials_print_json(entry, stdout);
    if (is_first)
        denials_print_header(stdout);
    denials_print(entry, stdout);
    return 0;
}

static int show(sd_journal *journal, const struct request *request, bool is_first)
{
    _cleanup_denials_entry_ struct denials_entry entry = { 0 };

    int r = denials_entry_read(journal, &entry);
    return r < 0 ? r : print(&entry, request, is_first);
}

/* A reader that went away ends this by SIGPIPE; any other error would be lost. */
static int flush(void)
{
    return fflush(stdout) == EOF ? -errno : 0;
}

static int show_all(sd_journal *journal, const struct request *request)
{
    bool is_first = true;
    int r;

    for (;;) {
        r = sd_journal_next(journal);
        if (r > 0) {
            r = show(journal, request, is_first);
            is_first = false;
        } else if (r == 0 && request->follow) {
            r = flush();
            if (r >= 0)
                r = sd_journal_wait(journal, UINT64_MAX);
        } else
            break;
        if (r < 0)
            break;
    }
    if (r >= 0)
        r = flush();
    if (r >= 0 && is_first && !request->json)
        fputs("No denials.\n", stderr);
    return r;
}

struct asked {
    const struct request *request;
    bool any;
};

/* A door_line_t. */
static int show_line(const char *line, void *userdata)
{
    _cleanup_denials_entry_ struct denials_entry entry = { 0 };
    struct asked *asked = userdata;

    int r = denials_entry_parse(line, &entry);
    if (r == 0)
        r = print(&entry, asked->request, !asked->any);
    asked->any = true;
    return r;
}

/* For who may not read the journal, and may enter the sandbox. */
static int ask(const struct request *request)
{
    struct asked asked = { .request = request };

    if (request->follow || request->since)
        return say_error(0, "only root and the groups systemd-journal and adm may read the system "
                            "journal; whoever may enter a sandbox has all of its denials told, "
                            "without --follow and --since");
    if (door_ask("Denials", request->name, NULL, "cannot read the denials", show_line, &asked,
                 NULL) < 0)
        return say_error(0, "root and the groups systemd-journal and adm read them in the journal");
    if (!asked.any && !request->json)
        fputs("No denials.\n", stderr);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : say_error(errno, "cannot print");
}

static int show_request(const struct request *request)
{
    _cleanup_(sd_journal_closep) sd_journal *journal = NULL;
    uint64_t bytes;

    int r = sd_journal_open(&journal, SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM);
    if (r < 0)
        return say_error(r, "cannot open the journal");
    /* Files that may not be read are left out without an error. */
    if (sd_journal_get_usage(journal, &bytes) >= 0 && bytes == 0)
        return geteuid() == 0
                   ? say_error(0, "there is no system journal; is systemd-journald running?")
                   : ask(request);
    r = add_matches(journal, request);
    if (r < 0)
        return say_error(r, "cannot search the journal");
    r = seek(journal, request);
    if (r == -EINVAL && request->since)
        return say_error(0,
                         "\"%s\" is no time; for instance \"10min ago\", today, boot, "
                         "\"2026-01-02 12:00:00\" are",
                         request->since);
    if (r >= 0)
        r = show_all(journal, request);
    return r < 0 ? say_error(r, "cannot read the journal") : EXIT_SUCCESS;
}

int verb_denials(int argc, char **argv)
{
    struct request request = { 0 };
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_FOLLOW:
            request.follow = true;
            break;
        case OPTION_JSON:
            request.json = true;
            break;
        case OPTION_SINCE:
            request.since = optarg;
            break;
        default:
            return EXIT_USAGE;
        }
    request.name = optind < argc ? argv[optind] : NULL;
    return show_request(&request);
}
