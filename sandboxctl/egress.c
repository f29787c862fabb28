/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sandboxctl egress: what a sandbox's proxy would say. */
#include "conf/cleanup.h"
#include "conf/config.h"
#include "proxy/policy-new.h"
#include "sandboxctl/egress-rotate.h"
#include "sandboxctl/egress-url.h"
#include "sandboxctl/say.h"
#include "sandboxctl/verbs.h"

#include <getopt.h>
#include <string.h>

/* The one that is meant without being named; NULL after an error was printed. */
static char *only_sandbox(const char *root)
{
    _cleanup_(config_freep) struct config *config = NULL;
    const char *name = NULL;

    int r = config_load_snapshot(root, say_problem, NULL, &config);
    if (r == -ENOENT)
        say_error(0, "nothing is in force; sandboxctl apply puts the configuration in force");
    else if (r < 0)
        say_error(r, "cannot read what is in force");
    if (r < 0)
        return NULL;
    for (size_t i = 0; i < config->n_sandboxes; i++) {
        if (!config->sandboxes[i].egress.proxy)
            continue;
        if (name) {
            say_error(0, "\"%s\" and \"%s\" have proxies; say which with --sandbox=", name,
                      config->sandboxes[i].name);
            return NULL;
        }
        name = config->sandboxes[i].name;
    }
    if (!name)
        say_error(0, "no sandbox that is in force has a proxy");
    return name ? strdup(name) : NULL;
}

static int judge(const struct policy *policy, const struct policy_request *request)
{
    struct policy_verdict verdict;
    char line[1024];

    policy_decide(policy, request, &verdict);
    policy_explain(request, &verdict, line, sizeof(line));
    if (verdict.allowed)
        printf("allowed: %s\n", line);
    else
        printf("refused (%s): %s\n", policy_reason_token(verdict.reason), line);
    return verdict.allowed ? EXIT_SUCCESS : EXIT_FAILURE;
}

struct test_options {
    const char *root, *sandbox;
    bool body;
    enum policy_upgrade upgrade;
};

static int test(const struct test_options *options, const char *method, const char *text)
{
    _cleanup_(policy_freep) struct policy *policy = NULL;
    _cleanup_free_ char *found = NULL, *path = NULL;
    const char *sandbox = options->sandbox, *problem;
    struct egress_url url;

    int r = egress_url_parse(text, &url, &problem);
    if (r == -EINVAL) {
        say_error(0, "\"%s\" is no URL that a proxy is asked for: %s", text, problem);
        return EXIT_USAGE;
    }
    if (r < 0)
        return say_error(r, "cannot look at \"%s\"", text);
    path = url.path;

    if (!sandbox)
        sandbox = found = only_sandbox(options->root);
    if (!sandbox)
        return EXIT_USAGE;
    r = policy_load(options->root, sandbox, NULL, say_problem, NULL, &policy);
    if (r < 0) {
        say_error(r == -ENOENT || r == -EINVAL ? 0 : r, "cannot load the rules of \"%s\"", sandbox);
        return EXIT_USAGE;
    }
    if (url.normalised)
        fprintf(stderr, "Note: the path is judged and sent as %.*s.\n", (int)url.path_size, path);

    const struct policy_request request = {
        .method = method,
        .host = url.identity.host,
        .port = url.identity.port,
        .path = path,
        .path_size = url.path_size,
        .has_body = options->body,
        .upgrade = options->upgrade,
    };
    return judge(policy, &request);
}

int verb_egress(int argc, char **argv)
{
    struct test_options options = { .root = "" };
    int c;

    while ((c = verb_getopt(argc, argv)) != -1)
        switch (c) {
        case OPTION_BODY:
            options.body = true;
            break;
        case OPTION_ROOT:
            options.root = optarg;
            break;
        case OPTION_SANDBOX:
            options.sandbox = optarg;
            break;
        case OPTION_WEBSOCKET:
            options.upgrade = POLICY_UPGRADE_WEBSOCKET;
            break;
        default:
            return EXIT_USAGE;
        }

    if (argc - optind == 3 && strcmp(argv[optind], "test") == 0)
        return test(&options, argv[optind + 1], argv[optind + 2]);
    if (argc - optind >= 1 && strcmp(argv[optind], "rotate-ca") == 0)
        return egress_rotate(argv + optind + 1);
    fputs("sandboxctl egress: needs test, a method and a URL, or rotate-ca; see sandboxctl egress "
          "--help\n",
          stderr);
    return EXIT_USAGE;
}
