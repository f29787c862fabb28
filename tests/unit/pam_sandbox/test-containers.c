/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <systemd/sd-json.h>

#include "conf/cleanup.h"
#include "pam_sandbox/containers.h"

static const struct config_sandbox agent = {
    .name = (char *)"agent",
    .uid = 59000,
    .egress = { .proxy = true, .port = 5000 },
};

static void conf_names_the_device(void **state)
{
    _cleanup_free_ char *conf = containers_conf(&agent, false);

    (void)state;
    assert_non_null(conf);
    assert_non_null(
        strstr(conf, "\ndevices = [\"pam-sandbox.org/egress=agent\", {append=true}]\n"));
    assert_non_null(strstr(conf, "\ncdi_spec_dirs = [\"/etc/cdi\", \"/run/cdi\"]\n"));
    /* What the shipped file says for sandboxes without a proxy. */
    assert_non_null(strstr(conf, "[containers]\nlog_driver = \"journald\"\n"));
    assert_non_null(strstr(conf, "[engine]\ncgroup_manager = \"systemd\"\n"));
    assert_non_null(strstr(conf, "\n    \"SSL_CERT_FILE=/dev/pam-sandbox/bundle.pem\",\n"));
    assert_null(strstr(conf, "http_proxy"));
    assert_null(strstr(conf, "JAVA_TOOL_OPTIONS"));
}

static sd_json_variant *follow(sd_json_variant *variant, const char *key, size_t index)
{
    sd_json_variant *list = sd_json_variant_by_key(variant, key);

    assert_non_null(list);
    assert_true(index < sd_json_variant_elements(list));
    return sd_json_variant_by_index(list, index);
}

static const char *text_of(sd_json_variant *variant, const char *key)
{
    sd_json_variant *value = sd_json_variant_by_key(variant, key);

    assert_non_null(value);
    return sd_json_variant_string(value);
}

static bool has(sd_json_variant *edits, const char *word)
{
    sd_json_variant *env = sd_json_variant_by_key(edits, "env");

    for (size_t i = 0; i < sd_json_variant_elements(env); i++)
        if (strcmp(sd_json_variant_string(sd_json_variant_by_index(env, i)), word) == 0)
            return true;
    return false;
}

static void device_has_all_of_it(void **state)
{
    _cleanup_free_ char *text = containers_device(&agent, true);
    sd_json_variant *json = NULL, *device, *edits, *hook;

    (void)state;
    assert_non_null(text);
    assert_int_equal(sd_json_parse(text, 0, &json, NULL, NULL), 0);
    assert_string_equal(text_of(json, "cdiVersion"), "0.5.0");
    assert_string_equal(text_of(json, "kind"), "pam-sandbox.org/egress");
    device = follow(json, "devices", 0);
    assert_string_equal(text_of(device, "name"), "agent");
    edits = sd_json_variant_by_key(device, "containerEdits");
    assert_non_null(edits);

    assert_true(has(edits, "SSL_CERT_FILE=/dev/pam-sandbox/bundle.pem"));
    assert_true(has(edits, "NODE_EXTRA_CA_CERTS=/dev/pam-sandbox/ca.pem"));
    assert_true(has(edits, "ALL_PROXY=http://127.0.0.1:5000"));
    assert_non_null(strstr(text, "-Djavax.net.ssl.trustStore=/dev/pam-sandbox/java.p12"));
    /* podman has these from the session, where its user may say otherwise. */
    assert_null(strstr(text, "\"http_proxy="));
    assert_null(strstr(text, "\"HTTPS_PROXY="));
    assert_null(strstr(text, "\"no_proxy="));

    assert_string_equal(text_of(follow(edits, "mounts", 0), "hostPath"),
                        "/run/pam-sandbox/egress/agent");
    assert_string_equal(text_of(follow(edits, "mounts", 0), "containerPath"), "/dev/pam-sandbox");
    hook = follow(edits, "hooks", 0);
    assert_string_equal(text_of(hook, "hookName"), "createRuntime");
    assert_string_equal(text_of(hook, "path"), PKGLIBEXECDIR "/container");
    assert_string_equal(sd_json_variant_string(follow(hook, "args", 2)), "5000");
    hook = follow(edits, "hooks", 1);
    assert_string_equal(text_of(hook, "hookName"), "createContainer");
    assert_string_equal(sd_json_variant_string(follow(hook, "args", 2)),
                        "/run/pam-sandbox/egress/agent/bundle.pem");
    sd_json_variant_unref(json);
}

static void no_store_for_java(void **state)
{
    _cleanup_free_ char *text = containers_device(&agent, false);

    (void)state;
    assert_non_null(text);
    assert_null(strstr(text, "JAVA_TOOL_OPTIONS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_names_the_device),
        cmocka_unit_test(device_has_all_of_it),
        cmocka_unit_test(no_store_for_java),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
