/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pam_sandbox/containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <systemd/sd-json.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/proxied.h"

#define PROGRAM PKGLIBEXECDIR "/container"

/* Which podman hands on from its own environment (podman-run(1), --http-proxy), where --env= of the
 * user's still says otherwise. */
static bool is_handed_on(const char *assignment)
{
    static const char *const names[] = { "http_proxy=", "https_proxy=", "no_proxy=" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncasecmp(assignment, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Drops them. */
static void keep_others(char **variables)
{
    char **kept = variables;

    for (; *variables; variables++) {
        if (is_handed_on(*variables))
            free(*variables);
        else
            *kept++ = *variables;
    }
    *kept = NULL;
}

/* What containers are told of the proxy, in their words. */
static char **make_variables(const struct config_sandbox *sandbox, bool for_java)
{
    char **variables;

    if (proxied_variables_in(sandbox, CONTAINER_TRUST_DIR, for_java, &variables) < 0)
        return NULL;
    keep_others(variables);
    return variables;
}

/* Some is said in the shipped file as well. Lists add to those of the user's own files. podman has
 * the devices of these directories without being told, buildah of the first alone. What a device
 * changes is for the container's first process; the same variables stand here for those that
 * podman-exec(1) adds. None of the values has a character that TOML would take for something else.
 */
char *containers_conf(const struct config_sandbox *sandbox, bool for_java)
{
    _cleanup_strv_ char **variables = make_variables(sandbox, for_java);
    size_t size;
    char *text = NULL;
    FILE *out = variables ? open_memstream(&text, &size) : NULL;

    if (!out)
        return NULL;
    fprintf(out,
            "# By pam-sandbox, for sandbox %s; see pam-sandbox-egress(8).\n"
            "[engine]\n"
            "cgroup_manager = \"systemd\"\n"
            "events_logger = \"journald\"\n"
            "cdi_spec_dirs = [\"/etc/cdi\", \"" CDI_DIR "\"]\n"
            "\n"
            "[containers]\n"
            "log_driver = \"journald\"\n"
            "keyring = false\n"
            "devices = [\"" CDI_KIND "=%s\", {append=true}]\n"
            "env = [\n",
            sandbox->name, sandbox->name);
    for (char **v = variables; *v; v++)
        fprintf(out, "    \"%s\",\n", *v);
    fputs("    {append=true}\n]\n", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static inline void json_unrefp(sd_json_variant **variant)
{
    sd_json_variant_unref(*variant);
}

#define STRING(key, value) SD_JSON_BUILD_PAIR(key, SD_JSON_BUILD_STRING(value))
#define STRINGS(key, ...)                                                                          \
    SD_JSON_BUILD_PAIR(key, SD_JSON_BUILD_STRV(((char *[]){ __VA_ARGS__, NULL })))
#define HOOK(when, what, argument)                                                                 \
    SD_JSON_BUILD_OBJECT(STRING("hookName", when), STRING("path", PROGRAM),                        \
                         STRINGS("args", (char *)"container", (char *)(what), argument))

/* What the device changes of a container. */
static int make_edits(const char *directory, char *bundle, char *port, char **variables,
                      sd_json_variant **ret)
{
    return sd_json_build(
        ret, SD_JSON_BUILD_OBJECT(
                 SD_JSON_BUILD_PAIR("env", SD_JSON_BUILD_STRV(variables)),
                 SD_JSON_BUILD_PAIR(
                     "mounts", SD_JSON_BUILD_ARRAY(SD_JSON_BUILD_OBJECT(
                                   STRING("hostPath", directory),
                                   STRING("containerPath", CONTAINER_TRUST_DIR),
                                   STRINGS("options", (char *)"bind", (char *)"ro",
                                           (char *)"nosuid", (char *)"nodev", (char *)"noexec")))),
                 SD_JSON_BUILD_PAIR(
                     "hooks", SD_JSON_BUILD_ARRAY(HOOK("createRuntime", "proxy", port),
                                                  HOOK("createContainer", "trust", bundle)))));
}

char *containers_device(const struct config_sandbox *sandbox, bool for_java)
{
    _cleanup_(json_unrefp) sd_json_variant *edits = NULL, *description = NULL;
    _cleanup_free_ char *directory = NULL, *bundle = NULL, *port = NULL;
    _cleanup_strv_ char **variables = make_variables(sandbox, for_java);
    char *text;

    if (!variables || asprintf(&directory, EGRESS_PUBLIC_DIR "/%s", sandbox->name) < 0 ||
        asprintf(&bundle, "%s/" EGRESS_BUNDLE_NAME, directory) < 0 ||
        asprintf(&port, "%u", (unsigned)config_egress_port(sandbox)) < 0)
        return NULL;
    if (make_edits(directory, bundle, port, variables, &edits) < 0 ||
        sd_json_build(&description,
                      SD_JSON_BUILD_OBJECT(
                          STRING("cdiVersion", "0.5.0"), STRING("kind", CDI_KIND),
                          SD_JSON_BUILD_PAIR(
                              "devices", SD_JSON_BUILD_ARRAY(SD_JSON_BUILD_OBJECT(
                                             STRING("name", sandbox->name),
                                             SD_JSON_BUILD_PAIR("containerEdits",
                                                                SD_JSON_BUILD_VARIANT(edits))))))) <
            0 ||
        sd_json_variant_format(description, SD_JSON_FORMAT_PRETTY | SD_JSON_FORMAT_NEWLINE, &text) <
            0)
        return NULL;
    return text;
}
