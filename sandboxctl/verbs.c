/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/verbs.h"

#include <getopt.h>
#include <string.h>

#define MAX_OPTIONS 8

#define ROOT_OPTION                                                                                \
    { "root", OPTION_ROOT, "DIR", "look at the system below DIR, which is not running" }

#define TIMING_OPTION                                                                              \
    { "timing", OPTION_TIMING, "[FORMAT]", "print what took how long: table or markdown" }

static const struct verb_option status_options[] = {
    { "json", OPTION_JSON, NULL, "print one JSON object" },
    ROOT_OPTION,
    { NULL },
};

static const struct verb_option apply_options[] = {
    { "dry-run", OPTION_DRY_RUN, NULL, "only say what would change" },
    TIMING_OPTION,
    ROOT_OPTION,
    { NULL },
};

static const struct verb_option show_options[] = {
    { "in-force", OPTION_IN_FORCE, NULL, "what is in force, not what /etc says" },
    ROOT_OPTION,
    { NULL },
};

static const struct verb_option check_options[] = {
    { "only", OPTION_ONLY, "PATTERN[,…]", "run only the probes whose names match" },
    { "list", OPTION_LIST, NULL, "print the table of probes and run none" },
    { "json", OPTION_JSON, NULL, "print JSON" },
    { "tap", OPTION_TAP, NULL, "print TAP" },
    { "record", OPTION_RECORD, "FILE", "accept what FILE says of this job, or write it" },
    TIMING_OPTION,
    { NULL },
};

static const struct verb_option reap_options[] = {
    { "force", OPTION_FORCE, NULL, "also where a session is open" },
    { NULL },
};

static const struct verb_option denials_options[] = {
    { "follow", OPTION_FOLLOW, NULL, "go on with what is denied from now on" },
    { "since", OPTION_SINCE, "TIME", "from then on: \"10min ago\", today, boot…" },
    { "json", OPTION_JSON, NULL, "print one JSON object a line" },
    { NULL },
};

static const struct verb_option egress_options[] = {
    { "sandbox", OPTION_SANDBOX, "NAME", "whose rules, if not the only one's" },
    { "body", OPTION_BODY, NULL, "the request has a body" },
    { "websocket", OPTION_WEBSOCKET, NULL, "it would become a WebSocket" },
    ROOT_OPTION,
    { NULL },
};

static const struct verb_option log_options[] = {
    { "follow", OPTION_FOLLOW, NULL, "go on with what is asked from now on" },
    { "json", OPTION_JSON, NULL, "print one JSON object a line, and no summary" },
    ROOT_OPTION,
    { NULL },
};

#define ENTER_OPTIONS                                                                              \
    { "sandbox", OPTION_SANDBOX, "NAME", "which, if there is more than one for you" },             \
        { "chdir", OPTION_CHDIR, "DIR", "where, in its home or below" },                           \
        { "setenv", OPTION_SETENV, "NAME[=VALUE]", "a variable that its configuration permits" }

static const struct verb_option exec_options[] = {
    ENTER_OPTIONS,
    { "stdin", OPTION_STDIN, "FILE", "read in place of standard input" },
    { "timeout", OPTION_TIMEOUT, "TIME", "after which the session is ended" },
    { "reap", OPTION_REAP, NULL, "end what the command leaves running" },
    { NULL },
};

static const struct verb_option shell_options[] = {
    ENTER_OPTIONS,
    { NULL },
};

const struct verb verbs[] = {
    { "status", "", 0, "Show the layers, the sandboxes and what is open", status_options },
    { "apply", "", 0, "Put the configuration in /etc/pam-sandbox in force", apply_options },
    { "show", "[NAME]", 1, "Print the merged configuration and where each value comes from",
      show_options },
    { "check", "[NAME…]", -1, "Try what a sandbox user must not be able to do", check_options },
    { "exec", "-- COMMAND [ARGUMENT…]", -1, "Run a command in a sandbox", exec_options },
    { "shell", "", 0, "Open a shell in a sandbox", shell_options },
    { "denials", "[NAME]", 1, "Show what the kernel denied sandbox users", denials_options },
    { "reap", "[NAME…]", -1, "End what sandboxes without a session left running", reap_options },
    { "egress", "test METHOD URL | rotate-ca [NAME…]", -1,
      "Say what a proxy would decide; renew its authority", egress_options },
    { "log", "[NAME]", 1, "Show what sandboxes asked of the network, and a sum by host",
      log_options },
    { NULL },
};

const struct verb *verb_find(const char *name)
{
    for (const struct verb *v = verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

void verbs_print_help(FILE *out)
{
    fputs("sandboxctl VERB [OPTION…] [NAME…]\n\n"
          "See, apply and try the confinement of this host's sandbox users.\n\n"
          "Verbs:\n",
          out);
    for (const struct verb *v = verbs; v->name; v++)
        fprintf(out, "  %-8s %s\n", v->name, v->summary);
    fputs("\nOptions:\n"
          "  -h, --help     print this, or with a verb what it takes\n"
          "      --version  print the version\n\n"
          "sandboxctl(8) says more.\n",
          out);
}

void verb_print_help(const struct verb *verb, FILE *out)
{
    fprintf(out, "sandboxctl %s", verb->name);
    if (verb->options->name)
        fputs(" [OPTION…]", out);
    if (*verb->operands)
        fprintf(out, " %s", verb->operands);
    fprintf(out, "\n\n%s.\n\nOptions:\n", verb->summary);

    for (const struct verb_option *o = verb->options; o->name; o++) {
        int width = fprintf(out, "      --%s", o->name);
        if (o->argument && *o->argument == '[')
            width += fprintf(out, "[=%s", o->argument + 1);
        else if (o->argument)
            width += fprintf(out, "=%s", o->argument);
        fprintf(out, "%*s  %s\n", width < 24 ? 24 - width : 0, "", o->help);
    }
    fprintf(out, "  -h, --help%*s  print this\n\nsandboxctl(8) says more.\n", 12, "");
}

int verb_getopt(int argc, char **argv)
{
    const struct verb *verb = verb_find(argv[0]);
    struct option options[MAX_OPTIONS + 1] = {};

    for (size_t i = 0; i < MAX_OPTIONS && verb->options[i].name; i++)
        options[i] = (struct option){
            .name = verb->options[i].name,
            .has_arg = !verb->options[i].argument          ? no_argument
                       : *verb->options[i].argument == '[' ? optional_argument
                                                           : required_argument,
            .val = verb->options[i].value,
        };

    /* The messages are ours: getopt's would begin with the verb alone. */
    opterr = 0;
    int c = getopt_long(argc, argv, ":", options, NULL);
    if (c == ':')
        fprintf(stderr, "sandboxctl %s: %s needs a value", verb->name, argv[optind - 1]);
    else if (c == '?' && optopt >= OPTION_DRY_RUN)
        fprintf(stderr, "sandboxctl %s: %s takes no value", verb->name, argv[optind - 1]);
    else if (c == '?' && optopt)
        fprintf(stderr, "sandboxctl %s: unknown option -%c", verb->name, optopt);
    else if (c == '?')
        fprintf(stderr, "sandboxctl %s: unknown option %s", verb->name, argv[optind - 1]);
    else if (c == -1 && verb->max_operands >= 0 && argc - optind > verb->max_operands) {
        fprintf(stderr, "sandboxctl %s: unexpected argument \"%s\"", verb->name,
                argv[optind + verb->max_operands]);
        c = '?';
    } else
        return c;

    fprintf(stderr, "; see sandboxctl %s --help\n", verb->name);
    return '?';
}
