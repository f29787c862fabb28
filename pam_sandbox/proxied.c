/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "pam_sandbox/proxied.h"

enum value {
    VALUE_PROXY,       /* its URL */
    VALUE_AROUND,      /* what is reached without it */
    VALUE_BUNDLE,      /* for what replaces the system's store by it */
    VALUE_CERTIFICATE, /* for what adds it to a store of its own */
    VALUE_JAVA,
    VALUE_ONE,
    N_VALUES,
};

static const struct {
    const char *name;
    enum value value;
} proxied_table[] = {
    /* Libraries differ in the case that they look at; curl takes http_proxy in lower case alone,
     * as a CGI program finds a client's field Proxy: in the other (curl(1), ENVIRONMENT). */
    { "HTTP_PROXY", VALUE_PROXY },
    { "HTTPS_PROXY", VALUE_PROXY },
    { "ALL_PROXY", VALUE_PROXY },
    { "NO_PROXY", VALUE_AROUND },
    { "http_proxy", VALUE_PROXY },
    { "https_proxy", VALUE_PROXY },
    { "all_proxy", VALUE_PROXY },
    { "no_proxy", VALUE_AROUND },
    /* Node's own fetch and http look at the variables above only if this says so. */
    { "NODE_USE_ENV_PROXY", VALUE_ONE },
    /* OpenSSL, and with it Python and Ruby; Go; rustls-native-certs. */
    { "SSL_CERT_FILE", VALUE_BUNDLE },
    { "CURL_CA_BUNDLE", VALUE_BUNDLE },
    { "GIT_SSL_CAINFO", VALUE_BUNDLE },
    { "REQUESTS_CA_BUNDLE", VALUE_BUNDLE },
    { "PIP_CERT", VALUE_BUNDLE },
    { "npm_config_cafile", VALUE_BUNDLE },
    { "CARGO_HTTP_CAINFO", VALUE_BUNDLE },
    { "BUNDLE_SSL_CA_CERT", VALUE_BUNDLE },
    { "NODE_EXTRA_CA_CERTS", VALUE_CERTIFICATE },
    { "DENO_CERT", VALUE_CERTIFICATE },
    { "JAVA_TOOL_OPTIONS", VALUE_JAVA },
};

#define N_VARIABLES (sizeof proxied_table / sizeof proxied_table[0])

static char *path_in(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static char *proxy_url(const struct config_sandbox *sandbox)
{
    char *url;

    return asprintf(&url, "http://127.0.0.1:%u", (unsigned)config_egress_port(sandbox)) < 0 ? NULL
                                                                                            : url;
}

/* One address may have several ports. */
static bool is_repeated(const struct config_egress *egress, size_t at)
{
    const struct config_endpoint *endpoint = &egress->direct[at];

    for (size_t i = 0; i < at; i++)
        if (egress->direct[i].family == endpoint->family &&
            memcmp(egress->direct[i].address, endpoint->address,
                   endpoint->family == AF_INET ? 4 : 16) == 0)
            return true;
    return false;
}

/* The loopback interface, which is the host's and where the sandbox may have servers of its own,
 * and what the configuration opens around the proxy: first, and each endpoint as format has it for
 * its family. Programs understand networks and ports differently, or compare strings, as Node does;
 * addresses alone mean the same to all. */
static char *list_around(const struct config_egress *egress, const char *first,
                         const char *separator, const char *v6_open, const char *v6_close)
{
    char address[INET6_ADDRSTRLEN], *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);

    if (!out)
        return NULL;
    fputs(first, out);
    for (size_t i = 0; i < egress->n_direct; i++) {
        const struct config_endpoint *endpoint = &egress->direct[i];
        bool v6 = endpoint->family == AF_INET6;

        if (is_repeated(egress, i))
            continue;
        inet_ntop(endpoint->family, endpoint->address, address, sizeof address);
        fprintf(out, "%s%s%s%s", separator, v6 ? v6_open : "", address, v6 ? v6_close : "");
    }
    if (fclose(out) != 0) {
        free(list);
        return NULL;
    }
    return list;
}

/* The JVM looks at no variable but this one: the options that its networking has in place of them
 * (java.base, Networking Properties). The store is nobody's secret and has no password. */
static char *java_options(const struct config_sandbox *sandbox, const char *directory)
{
    _cleanup_free_ char *around =
        list_around(&sandbox->egress, "localhost|127.*|[::1]", "|", "[", "]");
    unsigned port = config_egress_port(sandbox);
    char *options;

    if (!around || asprintf(&options,
                            "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=%u"
                            " -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=%u"
                            " -Dhttp.nonProxyHosts=%s"
                            " -Djavax.net.ssl.trustStoreType=PKCS12"
                            " -Djavax.net.ssl.trustStore=%s/" EGRESS_JAVA_NAME,
                            port, port, around, directory) < 0)
        return NULL;
    return options;
}

static char *make_value(const struct config_sandbox *sandbox, const char *directory,
                        enum value value)
{
    switch (value) {
    case VALUE_PROXY:
        return proxy_url(sandbox);
    case VALUE_AROUND:
        return list_around(&sandbox->egress, "localhost,127.0.0.1,::1", ",", "", "");
    case VALUE_BUNDLE:
        return path_in(directory, EGRESS_BUNDLE_NAME);
    case VALUE_CERTIFICATE:
        return path_in(directory, EGRESS_CERTIFICATE_NAME);
    case VALUE_JAVA:
        return java_options(sandbox, directory);
    case VALUE_ONE:
    case N_VALUES:
        break;
    }
    return strdup("1");
}

static int is_published(const struct config_sandbox *sandbox, const char *name)
{
    _cleanup_free_ char *directory = path_in(EGRESS_PUBLIC_DIR, sandbox->name);
    _cleanup_free_ char *path = directory ? path_in(directory, name) : NULL;

    if (!path)
        return -ENOMEM;
    return access(path, F_OK) < 0 ? -errno : 0;
}

bool proxied_for_java(const struct config_sandbox *sandbox)
{
    return sandbox->egress.proxy && is_published(sandbox, EGRESS_JAVA_NAME) == 0;
}

int proxied_is_up(const struct config_sandbox *sandbox)
{
    return is_published(sandbox, EGRESS_BUNDLE_NAME);
}

char *proxied_bundle(const struct config_sandbox *sandbox)
{
    _cleanup_free_ char *directory = path_in(EGRESS_PUBLIC_DIR, sandbox->name);

    return directory ? path_in(directory, EGRESS_BUNDLE_NAME) : NULL;
}

int proxied_variables_in(const struct config_sandbox *sandbox, const char *directory, bool for_java,
                         char ***ret)
{
    _cleanup_strv_ char **variables = calloc(N_VARIABLES + 1, sizeof *variables);
    size_t n = 0;

    if (!variables)
        return -ENOMEM;
    for (size_t i = 0; sandbox->egress.proxy && i < N_VARIABLES; i++) {
        if (proxied_table[i].value == VALUE_JAVA && !for_java)
            continue;
        _cleanup_free_ char *value = make_value(sandbox, directory, proxied_table[i].value);

        if (!value || asprintf(&variables[n], "%s=%s", proxied_table[i].name, value) < 0) {
            variables[n] = NULL;
            return -ENOMEM;
        }
        n++;
    }
    *ret = steal_ptr(variables);
    return 0;
}

int proxied_variables(const struct config_sandbox *sandbox, bool for_java, char ***ret)
{
    _cleanup_free_ char *directory = path_in(EGRESS_PUBLIC_DIR, sandbox->name);

    return directory ? proxied_variables_in(sandbox, directory, for_java, ret) : -ENOMEM;
}

char *proxied_containers_conf(const struct config_sandbox *sandbox)
{
    _cleanup_free_ char *directory = path_in(EGRESS_PUBLIC_DIR, sandbox->name);

    if (!sandbox->egress.proxy)
        return strdup(PKGLIBEXECDIR "/containers.conf");
    return directory ? path_in(directory, EGRESS_CONTAINERS_NAME) : NULL;
}
