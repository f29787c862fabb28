/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What status shows, from a state made by hand, and what it finds in a directory that stands for a
 * system that is not running. */
#include "conf/cleanup.h"
#include "conf/paths.h"
#include "sandboxctl/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-json.h>

#include <cmocka.h>

static char *print(const struct status *status)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(status_print(status, out), 0);
    fclose(out);
    return text;
}

static sd_json_variant *print_json(const struct status *status)
{
    _cleanup_free_ char *text = NULL;
    sd_json_variant *json = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(status_print_json(status, out), 0);
    fclose(out);
    assert_true(sd_json_parse(text, 0, &json, NULL, NULL) >= 0);
    return json;
}

static void assert_has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("\"%s\" is not in:\n%s", line, text);
}

static void assert_has_not(const char *text, const char *line)
{
    if (strstr(text, line))
        fail_msg("\"%s\" is in:\n%s", line, text);
}

static struct config_sandbox sandboxes[] = {
    {
        .name = "agent",
        .uid = 59000,
        .subids = { 1785000000, 65536 },
        .filesystem_view = true,
        .private_tmp = true,
        .limits = { .sessions = 64, .tasks = CONFIG_UNLIMITED, .memory = UINT64_C(8) << 30 },
    },
    {
        .name = "bare",
        .uid = 59001,
        .limits = { .sessions = CONFIG_UNLIMITED,
                    .tasks = CONFIG_UNLIMITED,
                    .memory = CONFIG_UNLIMITED },
    },
};
static struct config config = { .sandboxes = sandboxes, .n_sandboxes = 2 };
static struct status_usage usages[] = {
    { .sessions = 2, .tasks = 17, .memory = 1536 },
    { STATUS_UNKNOWN, STATUS_UNKNOWN, STATUS_UNKNOWN },
};
static struct status_packets packets[] = { { { 12, 0, 3 } }, { { 0, 7, 0 } } };
static struct proxy_state proxies[] = {
    { .state = (char *)"listening", .known = true, .up = true },
    { .state = (char *)"none" },
};
static char *said[] = { (char *)"lsm: no", (char *)"lsm: really", NULL };
static struct status_layer layer_states[] = {
    { .layer = &layers[0], .state = (char *)"active", .known = true, .up = true },
    { .layer = &layers[2], .state = (char *)"failed (exit-code)", .known = true, .messages = said },
    { .layer = &layers[3], .state = (char *)"unknown" },
};

static struct status running(void)
{
    return (struct status){
        .booted = true,
        .up = true,
        .layers = layer_states,
        .n_layers = 3,
        .in_force = &config,
        .digest = "0123456789abcdef",
        .since_usec = 1764428645000000,
        .usages = usages,
        .packets = packets,
        .proxies = proxies,
    };
}

static void test_up(void **state)
{
    const struct status status = running();
    _cleanup_free_ char *text = print(&status);

    (void)state;
    assert_has(text, "pam-sandbox " PACKAGE_VERSION ": up\n");
    assert_has(text, "In force: 2 sandboxes, since 2025-11-29 ");
    assert_has(text, ", digest 0123456789ab\n");
    assert_has(text, "/etc/pam-sandbox: as in force\n");
    assert_has(text, "users    pam-sandbox-users.service    active              ");
    assert_has(text, "lsm      pam-sandbox-lsm.service      failed (exit-code)  ");
    assert_has(text, "\n\npam-sandbox-lsm.service:\n  lsm: no\n  lsm: really\n\n");
    assert_has(text, "agent    59000  1785000000:65536  2/64      17     1.5K/8G  listening\n");
    assert_has(text, "bare     59001  none              -         -      -        none\n");
    assert_has(text, "\nPACKETS OF  TO ITS PROXY  DIRECT  REFUSED\n"
                     "agent       12            0       3\n"
                     "bare        0             7       0\n");
    assert_has(text, "\nbare         filesystem-view  turned off: ");
    assert_has(text, "\nagent, bare  egress.proxy     turned off: ");
    assert_has_not(text, "\033");
}

static void test_many_sandboxes(void **state)
{
    struct config_sandbox many[5];
    struct config of_many = { .sandboxes = many, .n_sandboxes = 5 };
    struct status status = running();

    (void)state;
    for (int i = 0; i < 5; i++)
        many[i] = sandboxes[1];
    status.in_force = &of_many;
    status.usages = NULL;
    status.packets = NULL;
    status.proxies = NULL;
    _cleanup_free_ char *text = print(&status);
    assert_has(text, "\nbare, bare, bare and 2 more  filesystem-view  turned off: ");
}

static void test_down(void **state)
{
    struct status status = running();

    (void)state;
    status.up = false;
    _cleanup_free_ char *down = print(&status);
    assert_has(down, ": not up, no sandbox user gets a session; "
                     "journalctl -b -u pam-sandbox-lsm.service says why\n");

    /* What lies aside is not why. */
    layer_states[1].known = false;
    layer_states[2].known = true;
    _cleanup_free_ char *stale = print(&status);
    layer_states[1].known = true;
    layer_states[2].known = false;
    assert_has(stale, ": not up, no sandbox user gets a session; sandboxctl apply\n");

    status.booted = false;
    status.usages = NULL;
    _cleanup_free_ char *off = print(&status);
    assert_has(off, ": not up, as systemd is not running here\n");
    assert_has(off, "agent    59000  1785000000:65536  -/64      -      -/8G    listening\n");
}

static void test_without_proxy(void **state)
{
    struct status status = running();

    (void)state;
    status.up = false;
    layer_states[1].up = true;
    proxies[0] = (struct proxy_state){ .state = (char *)"failed (resources)", .known = true };
    _cleanup_free_ char *text = print(&status);
    status.ready_error = -ENOENT;
    _cleanup_free_ char *worse = print(&status);
    layer_states[1].up = false;
    proxies[0] = (struct proxy_state){ .state = (char *)"listening", .known = true, .up = true };
    assert_has(text, ": not up, agent gets no session, as its proxy is not up; "
                     "systemctl status pam-sandbox-egress@agent.socket says why\n");
    assert_has(text, "1.5K/8G  failed (resources)\n");
    assert_has(worse, ": not up, no sandbox user gets a session; sandboxctl apply\n");
}

static void test_nothing_in_force(void **state)
{
    struct status status = running();

    (void)state;
    status.in_force = NULL;
    status.in_force_error = -ENOENT;
    status.etc = STATUS_ETC_EDITED;
    _cleanup_free_ char *nothing = print(&status);
    assert_has(nothing, "In force: nothing, no sandbox user exists\n");
    assert_has(nothing, "/etc/pam-sandbox: not in force; sandboxctl apply puts it in force\n");
    assert_has_not(nothing, "SANDBOX");
    assert_has_not(nothing, "OPEN");

    status.in_force_error = -EACCES;
    _cleanup_free_ char *unreadable = print(&status);
    assert_has(unreadable, "In force: cannot tell: Permission denied\n");
}

static void test_etc(void **state)
{
    struct status_problem problems[] = {
        { (char *)"/etc/pam-sandbox/pam-sandbox.conf", 7, (char *)"uid: wrong" },
        { (char *)"/etc/pam-sandbox/x.conf", 0, (char *)"owner: wrong" },
    };
    struct status status = running();

    (void)state;
    status.etc = STATUS_ETC_EDITED;
    _cleanup_free_ char *edited = print(&status);
    assert_has(edited, "/etc/pam-sandbox: edited since; sandboxctl apply puts it in force\n");

    status.etc = STATUS_ETC_BROKEN;
    status.problems = problems;
    status.n_problems = 2;
    _cleanup_free_ char *broken = print(&status);
    assert_has(broken, "  /etc/pam-sandbox/pam-sandbox.conf:7: uid: wrong\n");
    assert_has(broken, "  /etc/pam-sandbox/x.conf: owner: wrong\n");
}

static void test_stop_services(void **state)
{
    char *units[] = { (char *)"docker.service", NULL };
    struct status status = running();

    (void)state;
    status.still_running = units;
    _cleanup_free_ char *text = print(&status);
    assert_has(text, "stop-services    docker.service was running already; "
                     "systemctl stop docker.service ends it\n");
}

static sd_json_variant *field(sd_json_variant *json, const char *name)
{
    sd_json_variant *value = sd_json_variant_by_key(json, name);

    if (!value)
        fail_msg("no field %s", name);
    return value;
}

static void test_json(void **state)
{
    struct status_problem problems[] = {
        { (char *)"/etc/x", 7, (char *)"a \"quoted\" word" },
    };
    struct status status = running();

    (void)state;
    status.etc = STATUS_ETC_BROKEN;
    status.problems = problems;
    status.n_problems = 1;
    sd_json_variant *json = print_json(&status);
    assert_string_equal(sd_json_variant_string(field(json, "version")), PACKAGE_VERSION);
    assert_true(sd_json_variant_boolean(field(json, "up")));
    assert_string_equal(sd_json_variant_string(field(field(json, "inForce"), "digest")),
                        status.digest);
    assert_int_equal(sd_json_variant_unsigned(field(field(json, "inForce"), "sinceUSec")),
                     status.since_usec);
    assert_string_equal(sd_json_variant_string(field(field(json, "etc"), "state")), "broken");
    sd_json_variant *problem = sd_json_variant_by_index(field(field(json, "etc"), "problems"), 0);
    assert_string_equal(sd_json_variant_string(field(problem, "message")), problems[0].message);
    assert_int_equal(sd_json_variant_unsigned(field(problem, "line")), 7);

    sd_json_variant *layer = sd_json_variant_by_index(field(json, "layers"), 1);
    assert_string_equal(sd_json_variant_string(field(layer, "state")), "failed (exit-code)");
    assert_false(sd_json_variant_boolean(field(layer, "up")));
    assert_string_equal(
        sd_json_variant_string(sd_json_variant_by_index(field(layer, "messages"), 1)),
        "lsm: really");
    sd_json_variant *unknown = sd_json_variant_by_index(field(json, "layers"), 2);
    assert_true(sd_json_variant_is_null(field(unknown, "up")));
    assert_null(sd_json_variant_by_key(unknown, "messages"));

    assert_int_equal(sd_json_variant_elements(field(json, "sandboxes")), 2);
    sd_json_variant *agent = sd_json_variant_by_index(field(json, "sandboxes"), 0);
    assert_int_equal(sd_json_variant_unsigned(field(agent, "uid")), 59000);
    assert_int_equal(sd_json_variant_unsigned(field(field(agent, "memory"), "current")), 1536);
    assert_true(sd_json_variant_is_null(field(field(agent, "tasks"), "max")));
    sd_json_variant *counted = field(agent, "packets");
    assert_int_equal(sd_json_variant_unsigned(field(counted, "proxy")), 12);
    assert_int_equal(sd_json_variant_unsigned(field(counted, "refused")), 3);
    sd_json_variant *bare = sd_json_variant_by_index(field(json, "sandboxes"), 1);
    assert_true(sd_json_variant_is_null(field(field(bare, "sessions"), "current")));

    sd_json_variant *first = sd_json_variant_by_index(field(json, "open"), 0);
    assert_string_equal(sd_json_variant_string(field(first, "option")), "kernel-policy");
    assert_null(sd_json_variant_by_key(first, "sandboxes"));
    sd_json_variant *view = sd_json_variant_by_index(field(json, "open"), 2);
    assert_string_equal(sd_json_variant_string(field(view, "option")), "filesystem-view");
    assert_int_equal(sd_json_variant_elements(field(view, "sandboxes")), 1);
    sd_json_variant_unref(json);
}

static void test_json_of_nothing(void **state)
{
    const struct status status = { .in_force_error = -ENOENT, .etc = STATUS_ETC_UNKNOWN };
    sd_json_variant *json = print_json(&status);

    (void)state;
    assert_false(sd_json_variant_boolean(field(json, "up")));
    assert_true(sd_json_variant_is_null(field(json, "inForce")));
    assert_int_equal(sd_json_variant_elements(field(json, "layers")), 0);
    assert_int_equal(sd_json_variant_elements(field(json, "sandboxes")), 0);
    assert_int_equal(sd_json_variant_elements(field(json, "open")), 0);
    sd_json_variant_unref(json);
}

static void test_gather_empty_root(void **state)
{
    char root[] = "/tmp/test-status-XXXXXX";
    _cleanup_(status_done) struct status status = {};

    (void)state;
    assert_non_null(mkdtemp(root));
    assert_int_equal(status_gather(root, &status), 0);
    rmdir(root);
    assert_false(status.booted);
    assert_false(status.up);
    assert_null(status.in_force);
    assert_int_equal(status.in_force_error, -ENOENT);
    assert_true(status.n_layers > 0);
    for (size_t i = 0; i < status.n_layers; i++) {
        assert_string_equal(status.layers[i].state, layers[i].file ? "absent" : "unknown");
        assert_int_equal(status.layers[i].known, !!layers[i].file);
    }
}

static size_t n_layers_on(const struct config *of)
{
    size_t n = 0;

    for (const struct layer *layer = layers; layer->name; layer++)
        n += layer_is_on(layer, of);
    return n;
}

static void test_layers_that_are_on(void **state)
{
    struct config_sandbox sandbox = { .name = "a" };
    struct config of = { .host = { .kernel_policy = true }, .sandboxes = &sandbox };

    (void)state;
    const size_t all = n_layers_on(NULL);
    assert_int_equal(n_layers_on(&of), all - 2);
    of.n_sandboxes = 1;
    assert_int_equal(n_layers_on(&of), all);
    of.host.kernel_policy = false;
    assert_int_equal(n_layers_on(&of), all - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_up),
        cmocka_unit_test(test_many_sandboxes),
        cmocka_unit_test(test_down),
        cmocka_unit_test(test_without_proxy),
        cmocka_unit_test(test_nothing_in_force),
        cmocka_unit_test(test_etc),
        cmocka_unit_test(test_stop_services),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_nothing),
        cmocka_unit_test(test_gather_empty_root),
        cmocka_unit_test(test_layers_that_are_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
