/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a user who is not root asks at the door about a sandbox that it may enter: the answers of
 * pam-sandbox-entry(8) that come line by line. */

#include <systemd/sd-json.h>

/* Called for each line as it comes; a negative errno ends the asking. */
typedef int (*door_line_t)(const char *line, void *userdata);

struct door_answer {
    int status;      /* exit status of what ran there; 0 where nothing did */
    uint64_t offset; /* of Log: where to go on */
};

/* method: without the interface. parameters: an object, or NULL; sandbox: NULL for the only one.
 * Returns 0, or a negative errno after a message that begins with what. */
int door_ask(const char *method, const char *sandbox, sd_json_variant *parameters, const char *what,
             door_line_t line, void *userdata, struct door_answer *ret);
