/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "systemd-generator/egress.h"

#include <errno.h>
#include <stdio.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

/* OpenFile= knows no specifiers (systemd 257), so it cannot stand in the template. The names are
 * those that the proxy looks for. */
static int emit_files(const struct emit *emit, const char *name, const char *subject)
{
    _cleanup_free_ char *path = NULL, *text = NULL;

    if (asprintf(&path, "pam-sandbox-egress@%s.service.d/50-pam-sandbox.conf", name) < 0)
        return -ENOMEM;
    if (asprintf(&text,
                 "[Service]\n"
                 "OpenFile=" STATE_DIR "/egress/%s/ca.key:ca-key:read-only\n"
                 "OpenFile=" STATE_DIR "/egress/%s/ca.pem:ca-certificate:read-only\n",
                 name, name) < 0)
        return -ENOMEM;
    return emit_file(emit, path, subject, text);
}

static int emit_socket(const struct emit *emit, const struct config_sandbox *sandbox,
                       const char *subject)
{
    _cleanup_free_ char *socket = NULL, *link = NULL, *target = NULL, *text = NULL;

    if (asprintf(&socket, "pam-sandbox-egress@%s.socket", sandbox->name) < 0 ||
        asprintf(&link, "pam-sandbox.target.wants/%s", socket) < 0 ||
        asprintf(&target, "../%s", socket) < 0)
        return -ENOMEM;
    if (asprintf(&text,
                 "[Unit]\n"
                 "Description=Egress Proxy of Sandbox %s\n"
                 "Documentation=man:pam-sandbox-egress(8)\n"
                 "\n"
                 "[Socket]\n"
                 "ListenStream=127.0.0.1:%u\n"
                 "Backlog=4096\n",
                 sandbox->name, (unsigned)config_egress_port(sandbox)) < 0)
        return -ENOMEM;
    int r = emit_file(emit, socket, subject, text);
    return r < 0 ? r : emit_link(emit, link, target);
}

int egress_emit(const struct emit *emit, const struct config_sandbox *sandbox)
{
    _cleanup_free_ char *subject = NULL;

    if (!sandbox->egress.proxy)
        return 0;
    if (asprintf(&subject, "sandbox \"%s\"", sandbox->name) < 0)
        return -ENOMEM;
    int r = emit_files(emit, sandbox->name, subject);
    return r < 0 ? r : emit_socket(emit, sandbox, subject);
}
