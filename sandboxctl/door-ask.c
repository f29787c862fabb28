/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/door-ask.h"

#include "conf/cleanup.h"
#include "entry/interface.h"
#include "sandboxctl/door.h"
#include "sandboxctl/say.h"

struct asking {
    const char *what;
    door_line_t line;
    void *userdata;
    struct door_answer answer;
    bool done;
    int error;
};

static int pass_on(struct asking *asking, sd_json_variant *line)
{
    return sd_json_variant_is_string(line)
               ? asking->line(sd_json_variant_string(line), asking->userdata)
               : 0;
}

static int take(struct asking *asking, sd_json_variant *parameters)
{
    sd_json_variant *line = sd_json_variant_by_key(parameters, "line");
    sd_json_variant *lines = sd_json_variant_by_key(parameters, "lines");
    sd_json_variant *status = sd_json_variant_by_key(parameters, "exitStatus");
    sd_json_variant *offset = sd_json_variant_by_key(parameters, "offset");
    int r = line ? pass_on(asking, line) : 0;

    for (size_t i = 0; r >= 0 && lines && i < sd_json_variant_elements(lines); i++)
        r = pass_on(asking, sd_json_variant_by_index(lines, i));
    if (status && sd_json_variant_is_integer(status))
        asking->answer.status = (int)sd_json_variant_integer(status);
    if (offset && sd_json_variant_is_unsigned(offset))
        asking->answer.offset = sd_json_variant_unsigned(offset);
    return r;
}

static int on_reply(sd_varlink *link, sd_json_variant *parameters, const char *error,
                    sd_varlink_reply_flags_t flags, void *userdata)
{
    struct asking *asking = userdata;

    (void)link;
    if (error) {
        door_say_error(error, parameters, asking->what);
        asking->error = -EREMOTEIO;
    } else {
        asking->error = take(asking, parameters);
        if (asking->error < 0)
            say_error(asking->error, "%s", asking->what);
    }
    asking->done = error || asking->error < 0 || !(flags & SD_VARLINK_REPLY_CONTINUES);
    return 0;
}

static int wait_for(sd_varlink *link, const struct asking *asking)
{
    int r = 0;

    while (r >= 0 && !asking->done) {
        r = sd_varlink_process(link);
        if (r == 0 && !asking->done)
            r = sd_varlink_wait(link, UINT64_MAX);
    }
    return asking->done ? 0 : r;
}

int door_ask(const char *method, const char *sandbox, sd_json_variant *parameters, const char *what,
             door_line_t line, void *userdata, struct door_answer *ret)
{
    _cleanup_(sd_varlink_close_unrefp) sd_varlink *link = NULL;
    _cleanup_(sd_json_variant_unrefp) sd_json_variant *with = sd_json_variant_ref(parameters);
    struct asking asking = { .what = what, .line = line, .userdata = userdata };
    _cleanup_free_ char *name = NULL;
    int r;

    if (asprintf(&name, ENTRY_INTERFACE ".%s", method) < 0)
        return say_error(ENOMEM, "%s", what), -ENOMEM;
    r = door_connect(&link);
    if (r < 0)
        return r;
    if (sandbox)
        r = sd_json_variant_set_field_string(&with, "sandbox", sandbox);
    /* A check takes the time that it takes; by itself a call is given up after 45 seconds. */
    if (r >= 0)
        r = sd_varlink_set_relative_timeout(link, UINT64_MAX);
    if (r >= 0)
        r = sd_varlink_bind_reply(link, on_reply);
    sd_varlink_set_userdata(link, &asking);
    if (r >= 0)
        r = sd_varlink_observe(link, name, with);
    if (r >= 0)
        r = wait_for(link, &asking);
    if (r < 0)
        return say_error(r, "%s", what), r;
    if (ret)
        *ret = asking.answer;
    return asking.error;
}
