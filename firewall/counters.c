/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/counters.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/cleanup.h"
#include "firewall/ruleset.h"
#include "firewall/transaction.h"

int counters_read(counter_found_t found, void *userdata)
{
    _cleanup_free_ char *text = NULL;
    int r = transaction_ask("list counters table " RULESET_FAMILY " " RULESET_TABLE, &text);

    if (r < 0)
        return r == -EIO ? -ENOENT : r;
    return counters_parse(text, found, userdata);
}
