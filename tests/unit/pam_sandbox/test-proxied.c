/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "conf/cleanup.h"
#include "pam_sandbox/proxied.h"

#define PUBLIC "/run/pam-sandbox/egress/agent/"

static const char *value_of(char *const *variables, const char *name)
{
    size_t length = strlen(name);

    for (; *variables; variables++)
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return *variables + length + 1;
    return NULL;
}

static void assert_value(char *const *variables, const char *name, const char *expected)
{
    const char *value = value_of(variables, name);

    assert_non_null(value);
    assert_string_equal(value, expected);
}

static void every_name(void **state)
{
    static const char *const proxies[] = { "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                           "http_proxy", "https_proxy", "all_proxy" };
    static const char *const bundles[] = {
        "SSL_CERT_FILE", "CURL_CA_BUNDLE",    "GIT_SSL_CAINFO",    "REQUESTS_CA_BUNDLE",
        "PIP_CERT",      "npm_config_cafile", "CARGO_HTTP_CAINFO", "BUNDLE_SSL_CA_CERT",
    };
    const struct config_sandbox sandbox = {
        .name = (char *)"agent",
        .uid = 59000,
        .egress = { .proxy = true },
    };
    _cleanup_strv_ char **set = NULL;
    size_t n = 0;

    (void)state;
    assert_int_equal(proxied_variables(&sandbox, false, &set), 0);
    /* 16384 + 59000 % 16384 */
    for (size_t i = 0; i < sizeof proxies / sizeof proxies[0]; i++)
        assert_value(set, proxies[i], "http://127.0.0.1:26232");
    for (size_t i = 0; i < sizeof bundles / sizeof bundles[0]; i++)
        assert_value(set, bundles[i], PUBLIC "bundle.pem");
    assert_value(set, "NODE_EXTRA_CA_CERTS", PUBLIC "ca.pem");
    assert_value(set, "DENO_CERT", PUBLIC "ca.pem");
    assert_value(set, "NODE_USE_ENV_PROXY", "1");
    assert_value(set, "NO_PROXY", "localhost,127.0.0.1,::1");
    assert_value(set, "no_proxy", "localhost,127.0.0.1,::1");
    assert_null(value_of(set, "JAVA_TOOL_OPTIONS"));
    for (; set[n]; n++)
        ;
    assert_int_equal(n, 6 + 8 + 5);
}

static void around(void **state)
{
    struct config_endpoint direct[] = {
        { .family = AF_INET, .address = { 100, 64, 0, 7 }, .port = 8443 },
        { .family = AF_INET6, .port = 443 },
        { .family = AF_INET, .address = { 100, 64, 0, 7 }, .port = 22 },
        { .family = AF_INET, .address = { 100, 64, 0, 8 }, .port = 22 },
    };
    const struct config_sandbox sandbox = {
        .name = (char *)"agent",
        .egress = { .proxy = true, .port = 5000, .direct = direct, .n_direct = 4 },
    };
    _cleanup_strv_ char **set = NULL;

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "fd00::7", direct[1].address), 1);
    assert_int_equal(proxied_variables(&sandbox, true, &set), 0);
    assert_value(set, "https_proxy", "http://127.0.0.1:5000");
    assert_value(set, "no_proxy", "localhost,127.0.0.1,::1,100.64.0.7,fd00::7,100.64.0.8");
    assert_value(set, "JAVA_TOOL_OPTIONS",
                 "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=5000"
                 " -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=5000"
                 " -Dhttp.nonProxyHosts=localhost|127.*|[::1]|100.64.0.7|[fd00::7]|100.64.0.8"
                 " -Djavax.net.ssl.trustStoreType=PKCS12"
                 " -Djavax.net.ssl.trustStore=" PUBLIC "java.p12");
}

static void without_a_proxy(void **state)
{
    const struct config_sandbox sandbox = { .name = (char *)"agent" };
    _cleanup_strv_ char **set = NULL;

    (void)state;
    assert_int_equal(proxied_variables(&sandbox, true, &set), 0);
    assert_null(set[0]);
}

static void not_published(void **state)
{
    const struct config_sandbox sandbox = {
        .name = (char *)"no-such-sandbox",
        .egress = { .proxy = true },
    };

    (void)state;
    assert_int_equal(proxied_is_up(&sandbox), -ENOENT);
    assert_false(proxied_for_java(&sandbox));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name),
        cmocka_unit_test(around),
        cmocka_unit_test(without_a_proxy),
        cmocka_unit_test(not_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
