/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/probes/probe.h"

#include "conf/cleanup.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>

#define ANOTHER "another user is admitted by the same service"

const struct probe probes[] = {
    { "entry-su", "enter through PAM service su", ANOTHER, "account phase", PROBE_SHARED, false,
      false, probe_entry_su },
    { "entry-login", "enter through PAM service login", ANOTHER, "account phase", PROBE_SHARED,
      false, false, probe_entry_login },
    { "entry-ssh", "enter through PAM service sshd", ANOTHER, "account phase", PROBE_SHARED, false,
      false, probe_entry_ssh },
    { "entry-cron", "enter through PAM service cron", ANOTHER, "account phase", PROBE_SHARED, false,
      false, probe_entry_cron },
    { "entry-not-ready", "open a session while the ready file is away",
      "the same with the ready file there", "ready file", PROBE_SHARED, false, false,
      probe_entry_not_ready },
    { "run0-env", "see a variable of deny-env in root's own run0 session",
      "another variable passes", "environment", PROBE_SHARED, true, false, probe_run0_env },
    { "env-fixed", "see a variable or value that is not the session's own",
      "the session's own list is there, value for value", "environment", PROBE_SHARED, false, false,
      probe_env_fixed },
    { "env-job-variables", "see a variable ACTIONS_… of the caller anywhere it can read",
      "root sees it", "environment, view, bus policy", PROBE_SHARED, false, false,
      probe_env_job_variables },
    { "environ-other", "read the environment of another user's process", "root reads it",
      "uid, private /proc", PROBE_SHARED, false, false, probe_environ_other },
    { "proc-other", "see another user's process in /proc", "root sees it", "private /proc",
      PROBE_SHARED, false, false, probe_proc_other },
    { "sudo", "become root with sudo", "root can", "account phase, sudoers fragment", PROBE_SHARED,
      false, false, probe_sudo },
    { "polkit", "be authorised by polkit for what it gives to everybody",
      "another user is authorised", "polkit rule", PROBE_SHARED, false, false, probe_polkit },
    { "pkexec", "become root with pkexec", "root can", "polkit rule", PROBE_SHARED, false, false,
      probe_pkexec },
    { "run0", "become root with run0", "root can", "polkit rule, bus policy", PROBE_SHARED, false,
      false, probe_run0 },
    { "groups", "be in a group that is root by another name", "its configured groups are there",
      "configuration", PROBE_SHARED, false, false, probe_groups },
    { "linger", "have its user manager outlive its sessions", "another user may ask logind",
      "polkit rule", PROBE_SHARED, false, false, probe_linger },
    { "cron", "leave a crontab", "another user can", "view, account phase", PROBE_SHARED, false,
      false, probe_cron },
    { "at", "leave a job with at", "another user can", "view, account phase", PROBE_SHARED, false,
      false, probe_at },
    { "limits-tasks", "have more tasks than the limit", "just below it works", "slice", PROBE_ALONE,
      false, false, probe_limits_tasks },
    { "limits-memory", "use more memory than the limit", "below it works", "slice", PROBE_ALONE,
      false, false, probe_limits_memory },
    { "limits-runtime", "have a session that lasts longer than the limit", "it lasts until then",
      "scope", PROBE_SHARED, false, false, probe_limits_runtime },
    { "limits-files", "open more files than the limit", "just below it works", "rlimit",
      PROBE_SHARED, false, false, probe_limits_files },
    { "view-root", "write a directory of the host that its group may write", "it writes its home",
      "view", PROBE_SHARED, false, false, probe_view_root },
    { "view-manager", "write there from a user service with its path settings cleared",
      "the service writes the home", "view", PROBE_SHARED, false, false, probe_view_manager },
    { "view-socket", "write there from a socket-activated user service",
      "the service writes the home", "view", PROBE_SHARED, false, false, probe_view_socket },
    { "view-pam", "write there from the view of its PAM handlers", "they write the home", "view",
      PROBE_SHARED, false, false, probe_view_pam },
    { "view-nested", "write there from nested namespaces, after a remount",
      "the nested namespaces write the home", "locked mounts", PROBE_SHARED, false, false,
      probe_view_nested },
    { "view-late-mount", "write a mount made on the host after the session began", "root writes it",
      "propagation", PROBE_SHARED, false, false, probe_view_late_mount },
    { "tmp-private", "find or plant a file in the host's /tmp, /var/tmp, /dev/shm",
      "a file of its own is seen in a second session and in a user service", "view", PROBE_SHARED,
      false, false, probe_tmp_private },
    { "pam-handler", "trace or write the memory of its PAM handlers, or open their /proc/PID/root",
      "the same on a child", "not dumpable", PROBE_SHARED, false, false, probe_pam_handler },
    { "private-path:", "list or enter a directory of private-paths", "its owner does", "view",
      PROBE_SHARED, false, true, probe_private_path },
    { "kvm", NULL, "open /dev/kvm, where there is one and its group is the sandbox's", "",
      PROBE_SHARED, false, false, probe_kvm },
    { "reap", "keep a process that left its session", "it is there during the session", "reaper",
      PROBE_LAST, false, false, probe_reap },
    { NULL },
};

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

bool probe_is_wanted(const struct probe *probe, const char *path, char *const *patterns, size_t n)
{
    _cleanup_free_ char *name = NULL, *control = NULL;

    if (n == 0)
        return true;
    if (asprintf(&name, "%s%s", probe->name, path ? path : "") < 0)
        return true;
    if (asprintf(&control, "%s-control", name) < 0)
        return true;

    for (size_t i = 0; i < n; i++)
        if (fnmatch(patterns[i], name, 0) == 0 || fnmatch(patterns[i], control, 0) == 0)
            return true;
    return false;
}

static void add(struct probe_run *run, bool control, enum verdict verdict, const char *format,
                va_list arguments)
{
    struct findings *findings = &run->findings;
    struct finding finding = { .verdict = verdict };
    struct finding *list = reallocarray(findings->list, findings->n + 1, sizeof *list);

    /* A finding that is lost would read as one that was never asked for. */
    if (!list || vasprintf(&finding.text, format, arguments) < 0 ||
        asprintf(&finding.name, "%s%s%s", run->probe->name, run->path ? run->path : "",
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
