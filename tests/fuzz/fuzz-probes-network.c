/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a check reads of the network: lines of /proc/net/tcp, answers of proxies, and feeds. */
#include "sandboxctl/probes/ask.h"
#include "sandboxctl/probes/setting.h"
#include "sandboxctl/probes/tcp-list.h"

#include "conf/cleanup.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_listeners(const char *text)
{
    _cleanup_(tcp_list_done) struct tcp_list list = {};

    if (tcp_list_parse(text, &list) < 0)
        return;
    for (size_t i = 0; i < list.n; i++) {
        const size_t length = strlen(list.list[i].address);

        assert(length > 0 && length < sizeof list.list[i].address);
        /* One that listens everywhere is looked for where it can be connected to. */
        assert(strcmp(list.list[i].address, "0.0.0.0") != 0);
        assert(strcmp(list.list[i].address, "::") != 0);
    }
}

static void check_answer(const char *text)
{
    struct answer answer;

    if (!answer_parse(text, &answer))
        return;
    assert(answer.status <= 999);
    assert(!strpbrk(answer.denied, " \r\n"));
    /* Nothing that is no reason is one. */
    assert(!answer_is_one_of("", answer.body));
}

static void check_feed(const char *text)
{
    char host[32];

    if (setting_feed_host(text, host, sizeof host))
        assert(strchr(host, '.') && !strpbrk(host, " \t\r\n#"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *text = strndup((const char *)data, size);

    assert(text);
    check_listeners(text);
    check_answer(text);
    check_feed(text);
    return 0;
}
