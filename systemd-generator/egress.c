/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "systemd-generator/egress.h"

#include <errno.h>
#include <stdio.h>

#include "conf/cleanup.h"
#include "conf/paths.h"

#define UNIT "pam-sandbox-egress@"
#define DROP_IN "50-pam-sandbox.conf"

/* OpenFile= knows no specifiers (systemd 257), so it cannot stand in the template. The names are
 * those that the proxy looks for. */
static int emit_files(const struct emit *emit, const char *name, const char *subject)
{
    _cleanup_free_ char *path = NULL, *text = NULL;

    if (asprintf(&path, UNIT "%s.service.d/" DROP_IN, name) < 0)
        return -ENOMEM;
    if (asprintf(&text,
                 "[Service]\n"
                 "OpenFile=" EGRESS_STATE_DIR "/%s/ca.key:ca-key:read-only\n"
                 "OpenFile=" EGRESS_STATE_DIR "/%s/ca.pem:ca-certificate:read-only\n",
                 name, name) < 0)
        return -ENOMEM;
    return emit_file(emit, path, subject, text);
}

static int emit_port(const struct emit *emit, const struct config_sandbox *sandbox,
                     const char *subject)
{
    _cleanup_free_ char *path = NULL, *link = NULL, *text = NULL;

    if (asprintf(&path, UNIT "%s.socket.d/" DROP_IN, sandbox->name) < 0 ||
        asprintf(&link, "pam-sandbox.target.wants/" UNIT "%s.socket", sandbox->name) < 0)
        return -ENOMEM;
    if (asprintf(&text,
                 "[Socket]\n"
                 "ListenStream=127.0.0.1:%u\n",
                 (unsigned)config_egress_port(sandbox)) < 0)
        return -ENOMEM;
    int r = emit_file(emit, path, subject, text);
    return r < 0 ? r : emit_link(emit, link, UNIT_PATH UNIT ".socket");
}

int egress_emit(const struct emit *emit, const struct config_sandbox *sandbox)
{
    _cleanup_free_ char *subject = NULL;

    if (!sandbox->egress.proxy)
        return 0;
    if (asprintf(&subject, "sandbox \"%s\"", sandbox->name) < 0)
        return -ENOMEM;
    int r = emit_files(emit, sandbox->name, subject);
    return r < 0 ? r : emit_port(emit, sandbox, subject);
}
