/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The process behind one connection. It may wait for whatever it needs, as nobody waits for it but
 * its own caller. */

#include <systemd/sd-event.h>
#include <systemd/sd-varlink.h>

#include "entry/access.h"
#include "entry/caller.h"
#include "entry/session.h"

struct entered;

struct worker {
    const struct access *access;
    struct caller *caller;
    const char *id; /* of the session that it may open */
    int door;       /* a socket to who started it, see worker_run() */
    sd_event *event;
    sd_varlink *link;
    sd_event_source *idle;
    struct entered *entered; /* the session that it opened; NULL: none, or it is over */
    bool has_entered;
};

/* Serves the connection until it is closed, and takes it. Before a session is opened, a byte is
 * sent to door, which answers with an int: 0 when there is room for one and its unit is held, or a
 * negative errno. Returns 0 or a negative errno. */
int worker_run(int connection, int door, struct caller *caller, const struct access *access,
               const char *id);

/* The sandbox of that name, or the only one if name is NULL, if the caller may enter it. Otherwise
 * returns 0 after an error was sent, or a negative errno; 1 when *ret is set. */
int worker_find_sandbox(struct worker *worker, const char *name, const struct config_sandbox **ret);

/* enter.c */
int method_enter(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                 void *userdata);
int method_signal(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                  void *userdata);
/* Ends the session that is open, as its caller went away. */
void enter_abort(struct worker *worker);

/* answers.c */
int method_reap(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                void *userdata);
int method_log(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
               void *userdata);
int method_denials(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                   void *userdata);
int method_check(sd_varlink *link, sd_json_variant *parameters, sd_varlink_method_flags_t flags,
                 void *userdata);
