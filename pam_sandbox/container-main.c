/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook, config.md of the OCI runtime specification: the container's state comes as JSON on
 * standard input, and its bundle is a directory with config.json. */
#include <fcntl.h>
#include <string.h>
#include <systemd/sd-json.h>

#include "conf/cleanup.h"
#include "pam_sandbox/container.h"

static inline void json_unrefp(sd_json_variant **variant)
{
    sd_json_variant_unref(*variant);
}

static int open_root(sd_json_variant *state)
{
    _cleanup_(json_unrefp) sd_json_variant *config = NULL;
    sd_json_variant *bundle = sd_json_variant_by_key(state, "bundle"), *root;
    _cleanup_close_ int bundle_fd = -EBADF;

    if (!bundle || !sd_json_variant_is_string(bundle))
        return -EINVAL;
    bundle_fd = open(sd_json_variant_string(bundle), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (bundle_fd < 0)
        return -errno;
    int r = sd_json_parse_file_at(NULL, bundle_fd, "config.json", 0, &config, NULL, NULL);
    if (r < 0)
        return r;
    root = sd_json_variant_by_key(config, "root");
    root = root ? sd_json_variant_by_key(root, "path") : NULL;
    if (!root || !sd_json_variant_is_string(root))
        return -EINVAL;
    /* A path that is not absolute begins at the bundle. */
    int fd = openat(bundle_fd, sd_json_variant_string(root), O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int trust(sd_json_variant *state, const char *bundle)
{
    _cleanup_close_ int root = open_root(state);

    return root < 0 ? root : container_trust(root, bundle);
}

static int proxy(sd_json_variant *state, const char *port)
{
    sd_json_variant *pid = sd_json_variant_by_key(state, "pid");
    const unsigned long number = strtoul(port, NULL, 10);

    if (!pid || !sd_json_variant_is_unsigned(pid) || sd_json_variant_unsigned(pid) == 0 ||
        number == 0 || number > UINT16_MAX)
        return -EINVAL;
    return container_proxy((pid_t)sd_json_variant_unsigned(pid), (uint16_t)number);
}

static const struct {
    const char *name;
    int (*run)(sd_json_variant *state, const char *argument);
} hooks[] = {
    { "trust", trust },
    { "proxy", proxy },
};

int main(int argc, char **argv)
{
    _cleanup_(json_unrefp) sd_json_variant *state = NULL;

    for (size_t i = 0; argc == 3 && i < sizeof hooks / sizeof *hooks; i++) {
        if (strcmp(hooks[i].name, argv[1]) != 0)
            continue;
        int r = sd_json_parse_file(stdin, NULL, 0, &state, NULL, NULL);
        if (r >= 0)
            r = hooks[i].run(state, argv[2]);
        if (r >= 0)
            return 0;
        fprintf(stderr, "pam-sandbox: what a container needs for the proxy (%s): %s\n", argv[1],
                strerror(-r));
        return 1;
    }
    fputs("container is run for the containers of a sandbox, see pam-sandbox-egress(8)\n", stderr);
    return 2;
}
