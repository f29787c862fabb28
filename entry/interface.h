/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The interface of the door, and the errors it answers with. pam-sandbox-entry(8) describes it. */

#include <systemd/sd-varlink-idl.h>

#define ENTRY_INTERFACE "org.pam-sandbox.Entry"

/* None that the caller may enter, of that name or at all. */
#define ENTRY_ERROR_NOT_ALLOWED ENTRY_INTERFACE ".NotAllowed"
/* No name was given, and there are several; field "sandboxes". */
#define ENTRY_ERROR_AMBIGUOUS ENTRY_INTERFACE ".Ambiguous"
/* The caller has as many connections as it may have. */
#define ENTRY_ERROR_TOO_MANY ENTRY_INTERFACE ".TooMany"
/* Something of the request cannot be had; fields "parameter" and "why". */
#define ENTRY_ERROR_REFUSED ENTRY_INTERFACE ".Refused"
/* No session was opened; field "why". */
#define ENTRY_ERROR_NOT_OPENED ENTRY_INTERFACE ".NotOpened"
/* There is no such session, or none of the caller's. */
#define ENTRY_ERROR_NO_SESSION ENTRY_INTERFACE ".NoSuchSession"
/* Others have sessions of that sandbox open, or check it. */
#define ENTRY_ERROR_BUSY ENTRY_INTERFACE ".Busy"

extern const sd_varlink_interface vl_interface_org_pam_sandbox_Entry;
