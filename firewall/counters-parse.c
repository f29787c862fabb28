/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-json.h>

#include "conf/cleanup.h"
#include "firewall/counters.h"

const char *const counter_names[N_COUNTERS] = {
    [COUNTER_PROXY] = "proxy",
    [COUNTER_DIRECT] = "direct",
    [COUNTER_REFUSED] = "refused",
};

static void look(sd_json_variant *object, counter_found_t found, void *userdata)
{
    sd_json_variant *counter = sd_json_variant_by_key(object, "counter");
    sd_json_variant *name = counter ? sd_json_variant_by_key(counter, "name") : NULL;
    sd_json_variant *packets = counter ? sd_json_variant_by_key(counter, "packets") : NULL;

    if (!name || !packets || !sd_json_variant_is_string(name) ||
        !sd_json_variant_is_unsigned(packets))
        return;
    for (int i = 0; i < N_COUNTERS; i++) {
        const char *text = sd_json_variant_string(name);
        const size_t n = strlen(counter_names[i]);
        unsigned uid;
        char rest;

        if (strncmp(text, counter_names[i], n) == 0 && sscanf(text + n, "_%u%c", &uid, &rest) == 1)
            found(uid, i, sd_json_variant_unsigned(packets), userdata);
    }
}

int counters_parse(const char *text, counter_found_t found, void *userdata)
{
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *whole = NULL;
    sd_json_variant *list;
    int r = sd_json_parse(text, 0, &whole, NULL, NULL);

    if (r < 0)
        return r == -ENOMEM ? r : -EBADMSG;
    list = sd_json_variant_is_object(whole) ? sd_json_variant_by_key(whole, "nftables") : NULL;
    if (!list || !sd_json_variant_is_array(list))
        return -EBADMSG;
    for (size_t i = 0; i < sd_json_variant_elements(list); i++) {
        sd_json_variant *element = sd_json_variant_by_index(list, i);

        if (sd_json_variant_is_object(element))
            look(element, found, userdata);
    }
    return 0;
}
