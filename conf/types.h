/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The types of options (options.h), and the texts they are read from. Private to conf/. */

#include "conf/options.h"

extern const struct option_type type_bool;
extern const struct option_type type_uid;
extern const struct option_type type_id_range; /* START:COUNT */
extern const struct option_type type_number;   /* or "infinity" */
extern const struct option_type type_size;     /* bytes, with K, M, G, T; or "infinity" */
extern const struct option_type type_time;     /* seconds, with s, min, h, d; or "infinity" */
extern const struct option_type type_weight;   /* or "default" */
extern const struct option_type type_text;     /* "" is none */
extern const struct option_type type_texts;
extern const struct option_type type_endpoints; /* A.B.C.D:PORT, [V6]:PORT */
extern const struct option_type type_port;      /* 0: none */
extern const struct option_type type_ports;

/* Decimal digits alone, no sign, no leading zero, at most max. 0 or -EINVAL, -ERANGE. */
int parse_number(const char *text, uint64_t max, uint64_t *ret);
