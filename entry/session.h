/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One session that run0 opens: the unit that it is asked to name so, and the scope that the PAM
 * stack moves it to. Over the system's bus, by names that are made here. Functions return 0 or a
 * negative errno. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>

/* Hexadecimal digits of a session's id. */
#define SESSION_ID_LENGTH 32

struct session {
    sd_bus *bus; /* NULL: not connected */
    char *unit;
    char *path;  /* the unit's, on the bus */
    char *scope; /* as last seen; NULL: never */
};

/* A new id, which cannot be guessed. */
int session_make_id(char id[static SESSION_ID_LENGTH + 1]);

/* The name of the unit says whose session it is: only they may signal it. NULL: no memory. */
char *session_unit(uid_t caller, const char *id);

/* Its names. Whoever wants to know what became of it has the unit held before run0 is asked, since
 * systemd forgets it when nobody does: by a call of Ref to its path, which also loads it. */
int session_init(struct session *session, uid_t caller, const char *id);

#define SESSION_SERVICE "org.freedesktop.systemd1"
#define SESSION_UNIT_INTERFACE SESSION_SERVICE ".Unit"

/* Holds it by a connection of this process, as long as that lasts. */
int session_hold(struct session *session);

/* Lets go of it; systemd then forgets the unit. */
void session_done(struct session *session);

struct session_result {
    bool began;   /* the command's first process was reached, through PAM and exec */
    int32_t code; /* CLD_EXITED: by itself, with status; else by the signal that status is */
    int32_t status;
};

/* Once run0 has ended. */
int session_result(struct session *session, struct session_result *ret);

/* Takes what a signal PropertiesChanged of the unit says of it. 1: the command has run and is over,
 * and *result is whole, which begins as zeroes; 0: not yet. */
int session_read_change(sd_bus_message *message, struct session_result *result);

/* Kills all that runs in the session, and waits until nothing of it is left. */
int session_end(struct session *session, unsigned timeout_msec);

/* Sends a signal to the first process of another's session. -ESRCH: there is none, any more or
 * yet. */
int session_signal(const char *unit, int signal);
