/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/door.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "entry/interface.h"
#include "sandboxctl/say.h"

#include <string.h>

int door_connect(sd_varlink **ret)
{
    int r = sd_varlink_connect_address(ret, ENTRY_SOCKET);

    if (r == -ENOENT || r == -ECONNREFUSED)
        say_error(r, "%s: nobody listens; systemctl status pam-sandbox-entry.socket says why",
                  ENTRY_SOCKET);
    else if (r < 0)
        say_error(r, "cannot connect to %s", ENTRY_SOCKET);
    return r < 0 ? r : 0;
}

static const char *text_of(sd_json_variant *parameters, const char *field)
{
    sd_json_variant *value = sd_json_variant_by_key(parameters, field);

    return value && sd_json_variant_is_string(value) ? sd_json_variant_string(value) : "?";
}

static void say_names(sd_json_variant *parameters, const char *what)
{
    sd_json_variant *names = sd_json_variant_by_key(parameters, "sandboxes");
    _cleanup_free_ char *list = NULL;
    _cleanup_fclose_ FILE *out = NULL;
    size_t size;

    out = open_memstream(&list, &size);
    for (size_t i = 0; out && names && i < sd_json_variant_elements(names); i++)
        fprintf(out, "%s%s", i ? ", " : "",
                sd_json_variant_string(sd_json_variant_by_index(names, i)));
    if (out)
        fflush(out);
    say_error(0, "%s: there are several sandboxes (%s); say which with --sandbox=NAME", what,
              list ? list : "");
}

void door_say_error(const char *error, sd_json_variant *parameters, const char *what)
{
    if (strcmp(error, ENTRY_ERROR_NOT_ALLOWED) == 0)
        say_error(0,
                  "%s: there is no such sandbox, or its allow-users and allow-groups do not have "
                  "you; see pam-sandbox.conf(5)",
                  what);
    else if (strcmp(error, ENTRY_ERROR_AMBIGUOUS) == 0)
        say_names(parameters, what);
    else if (strcmp(error, ENTRY_ERROR_TOO_MANY) == 0)
        say_error(0, "%s: you have too many connections open; end some, and try again", what);
    else if (strcmp(error, ENTRY_ERROR_REFUSED) == 0)
        say_error(0, "%s: %s %s", what, text_of(parameters, "parameter"),
                  text_of(parameters, "why"));
    else if (strcmp(error, ENTRY_ERROR_NOT_OPENED) == 0)
        say_error(0, "%s: %s", what, text_of(parameters, "why"));
    else if (strcmp(error, ENTRY_ERROR_BUSY) == 0)
        say_error(0, "%s: it is in use; try again later", what);
    else if (strcmp(error, SD_VARLINK_ERROR_DISCONNECTED) == 0)
        say_error(0, "%s: the door was closed; root finds why with journalctl -u pam-sandbox-entry",
                  what);
    else
        say_error(sd_varlink_error_to_errno(error, parameters), "%s (%s)", what, error);
}
