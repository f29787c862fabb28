/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/probe.h"

#include "conf/cleanup.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>

void findings_done(struct findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        free(findings->list[i].name);
        free(findings->list[i].sandbox);
        free(findings->list[i].text);
    }
    free(findings->list);
    *findings = (struct findings){};
}

bool probe_is_wanted(const struct probe *probe, const char *object, char *const *patterns, size_t n)
{
    _cleanup_free_ char *name = NULL, *control = NULL;

    if (n == 0)
        return true;
    if (asprintf(&name, "%s%s", probe->name, object ? object : "") < 0)
        return true;
    if (asprintf(&control, "%s-control", name) < 0)
        return true;

    for (size_t i = 0; i < n; i++)
        if (fnmatch(patterns[i], name, 0) == 0 || fnmatch(patterns[i], control, 0) == 0)
            return true;
    return false;
}

bool probe_wants_object(const struct probe_run *run, const char *object)
{
    return probe_is_wanted(run->probe, NULL, run->patterns, run->n_patterns) ||
           probe_is_wanted(run->probe, object, run->patterns, run->n_patterns);
}

bool probe_may_be_wanted(const struct probe *probe, char *const *patterns, size_t n)
{
    if (probe_is_wanted(probe, NULL, patterns, n))
        return true;
    if (!probe->objects)
        return false;
    /* What stands before the first character that may stand for others. */
    for (size_t i = 0; i < n; i++) {
        size_t literal = strcspn(patterns[i], "*?[\\"), name = strlen(probe->name);

        if (strncmp(patterns[i], probe->name, literal < name ? literal : name) == 0 &&
            (literal >= name || patterns[i][literal]))
            return true;
    }
    return false;
}

__attribute__((format(printf, 4, 0))) static void add(struct probe_run *run, bool control,
                                                      enum verdict verdict, const char *format,
                                                      va_list arguments)
{
    struct findings *findings = &run->findings;
    struct finding finding = { .verdict = verdict, .control = control };
    struct finding *list = reallocarray(findings->list, findings->n + 1, sizeof *list);

    /* A finding that is lost would read as one that was never asked for. */
    if (!list || vasprintf(&finding.text, format, arguments) < 0 ||
        asprintf(&finding.name, "%s%s%s", run->probe->name, run->object ? run->object : "",
                 control ? "-control" : "") < 0 ||
        (run->sandbox && !(finding.sandbox = strdup(run->sandbox->name))))
        abort();

    /* Part of it is a session's words, which must not become lines or terminal codes of ours. */
    for (char *c = finding.text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\177')
            *c = ' ';
    findings->list = list;
    findings->list[findings->n++] = finding;
}

void probe_found(struct probe_run *run, enum verdict verdict, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(run, false, verdict, format, arguments);
    va_end(arguments);
}

void probe_found_control(struct probe_run *run, enum verdict verdict, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(run, true, verdict, format, arguments);
    va_end(arguments);
}

void probe_skip(struct probe_run *run, const char *format, ...)
{
    va_list arguments;

    if (run->probe->what) {
        va_start(arguments, format);
        add(run, false, VERDICT_SKIP, format, arguments);
        va_end(arguments);
    }
    va_start(arguments, format);
    add(run, true, VERDICT_SKIP, format, arguments);
    va_end(arguments);
}
