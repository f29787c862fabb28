/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From the fields of a head, as llhttp found them, to what they mean. For h1-decode.c. */

#include "proxy/h1.h"

/* head->fields are all fields of the message; target is the request's, or empty. Fills in the rest,
 * and takes the fields off that end here. 0, or an HTTP status and *ret_problem. */
int h1_read_request(struct h1_head *head, char *target, size_t target_size,
                    const char **ret_problem);
int h1_read_response(struct h1_head *head, bool head_only, const char **ret_problem);
