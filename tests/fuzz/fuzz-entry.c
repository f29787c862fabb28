/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a caller writes to the door: bytes on a connection, through systemd's parser of messages,
 * with Enter bound to the code that reads and judges a request. What may come through is said again
 * here, in another way. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-varlink.h>
#include <unistd.h>

#include "conf/paths.h"
#include "entry/interface.h"
#include "entry/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *deny_env[] = { (char *)"ACTIONS_*", (char *)"CI_*", NULL };
static char *allow_env[] = { (char *)"*", NULL };
static const struct config config = { .run0 = { .deny_env = deny_env } };
static const struct config_sandbox sandbox = { .name = (char *)"a", .allow_env = allow_env };

static void check_directory(const char *directory)
{
    static const char home[] = STATE_HOME_DIR "/a";

    if (*directory == '/') {
        assert(strncmp(directory, home, sizeof home - 1) == 0);
        directory += sizeof home - 1;
        assert(*directory == '/' || !*directory);
    }
    for (const char *p = directory; (p = strstr(p, "..")); p++)
        assert((p > directory && p[-1] != '/') || (p[2] && p[2] != '/'));
    for (const char *p = directory; *p; p++)
        assert((unsigned char)*p >= ' ');
}

static void check_let_through(const struct request *request)
{
    if (request->directory)
        check_directory(request->directory);
    assert((request->terminal == REQUEST_NO_FD) == (request->n_streams == 3));
    assert(!request->command || !request->command[0] || request->command[0][0]);
    for (char **e = request->environment; e && *e; e++) {
        assert(strchr(*e, '=') > *e);
        assert(strncmp(*e, "LD_", 3) != 0 && strncmp(*e, "ACTIONS_", 8) != 0);
        assert(strncmp(*e, "CI_", 3) != 0 && strncmp(*e, "HOME=", 5) != 0);
    }
}

static int method_enter(sd_varlink *link, sd_json_variant *parameters,
                        sd_varlink_method_flags_t flags, void *userdata)
{
    struct request request = REQUEST_INIT;
    struct request_refusal refusal = { NULL, "" };
    int r = sd_varlink_dispatch(link, parameters, request_fields, &request);

    (void)flags;
    (void)userdata;
    if (r == 0) {
        r = request_check(&request, &config, &sandbox, &refusal);
        if (r == 0)
            check_let_through(&request);
        else
            assert(refusal.parameter && *refusal.why &&
                   strnlen(refusal.why, sizeof refusal.why) < sizeof refusal.why);
        r = r < 0 ? sd_varlink_errorbo(link, ENTRY_ERROR_REFUSED,
                                       SD_JSON_BUILD_PAIR_STRING("parameter", refusal.parameter),
                                       SD_JSON_BUILD_PAIR_STRING("why", refusal.why))
                  : sd_varlink_reply(link, NULL);
    }
    request_done(&request);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sd_varlink_server *server = NULL;
    sd_varlink *link = NULL;
    int pair[2];

    if (size > 4096)
        return 0;
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
    assert(sd_varlink_server_new(&server, 0) >= 0);
    assert(sd_varlink_server_add_interface(server, &vl_interface_org_pam_sandbox_Entry) >= 0);
    assert(sd_varlink_server_bind_method(server, ENTRY_INTERFACE ".Enter", method_enter) >= 0);
    assert(sd_varlink_server_add_connection(server, pair[0], &link) >= 0);
    sd_varlink_ref(link);
    assert(write(pair[1], data, size) == (ssize_t)size);
    assert(shutdown(pair[1], SHUT_WR) == 0);
    while (sd_varlink_process(link) > 0)
        ;
    /* Each keeps the other. */
    sd_varlink_close_unref(link);
    sd_varlink_server_unref(server);
    close(pair[1]);
    return 0;
}
