/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/egress-url.h"

#include "conf/cleanup.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *prefix;
    uint16_t port;
} schemes[] = {
    { "https://", 443 },
    { "http://", 80 },
};

int egress_url_parse(const char *text, struct egress_url *ret, const char **problem)
{
    struct egress_url url = { 0 };
    uint16_t port = 0;

    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]) && port == 0; i++)
        if (strncasecmp(text, schemes[i].prefix, strlen(schemes[i].prefix)) == 0) {
            port = schemes[i].port;
            text += strlen(schemes[i].prefix);
        }
    if (port == 0) {
        *problem = "it begins with neither https:// nor http://";
        return -EINVAL;
    }

    const size_t authority = strcspn(text, "/?#");
    int r = host_parse_authority(text, authority, &url.identity, problem);
    if (r < 0)
        return r;
    if (url.identity.port == 0)
        url.identity.port = port;

    text += authority;
    const size_t size = strcspn(text, "?#");
    _cleanup_free_ char *path = size > 0 ? strndup(text, size) : strdup("/");
    if (!path)
        return -ENOMEM;
    url.path_size = strlen(path);
    if (policy_normalise_path(path, &url.path_size) < 0) {
        *problem = "its path has a space, a control character, or a % without two hex digits";
        return -EINVAL;
    }
    url.normalised = size > 0 && (url.path_size != size || memcmp(path, text, size) != 0);
    url.path = steal_ptr(path);
    *ret = url;
    return 0;
}
