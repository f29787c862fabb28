/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The exchange between two wires that write down what they are told. The policy and the pool are
 * replaced by the linker's --wrap. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proxy/exchange.h"
#include "proxy/fields.h"
#include "proxy/origin.h"
#include "proxy/proxy.h"
#include "proxy/record.h"

static char said[4096];
static size_t pending;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    size_t used = strlen(said);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(said + used, sizeof(said) - used, format, arguments);
    va_end(arguments);
}

static void wire_head(void *wire, const struct head *head)
{
    const struct field *denied = NULL;

    for (size_t i = 0; i < head->n_fields; i++)
        if (slice_is(head->fields[i].name, "x-egress-denied"))
            denied = &head->fields[i];
    if (head->status)
        note("%s:%u%s%.*s ", (char *)wire, head->status, denied ? "=" : "",
             denied ? (int)denied->value.size : 0, denied ? denied->value.data : "");
    else
        note("%s:%.*s%.*s ", (char *)wire, (int)head->method.size, head->method.data,
             (int)head->path.size, head->path.data);
}

static void wire_body(void *wire, const char *data, size_t size)
{
    note("%s+%.*s ", (char *)wire, size > 20 ? 0 : (int)size, data);
}

static void wire_end(void *wire, const struct field *trailers, size_t n)
{
    (void)trailers;
    note("%s.%zu ", (char *)wire, n);
}

static void wire_flush(void *wire)
{
    (void)wire;
}

static size_t wire_pending(const void *wire)
{
    (void)wire;
    return pending;
}

static void wire_resume(void *wire)
{
    note("%s:resume ", (char *)wire);
}

static void wire_abort(void *wire)
{
    note("%s:abort ", (char *)wire);
}

static const struct wire_ops ops = { wire_head,    wire_body,   wire_end,  wire_flush,
                                     wire_pending, wire_resume, wire_abort };

static const struct wire client = { &ops, (void *)"c" };
static const struct wire origin = { &ops, (void *)"o" };

/* When an origin is there at once. */
static bool pooled;
static bool refuses;

void __wrap_origin_get(struct exchange *exchange, bool fresh);
void __wrap_origin_get(struct exchange *exchange, bool fresh)
{
    note(fresh ? "fresh " : "get ");
    if (pooled && !fresh)
        exchange_origin_ready(exchange, origin, true);
    else
        exchange->waits_for = (struct origin *)exchange;
}

void __wrap_origin_forget(struct origin *forgotten);
void __wrap_origin_forget(struct origin *forgotten)
{
    (void)forgotten;
    note("forget ");
}

void __wrap_policy_decide(const struct policy *policy, const struct policy_request *request,
                          struct policy_verdict *verdict);
void __wrap_policy_decide(const struct policy *policy, const struct policy_request *request,
                          struct policy_verdict *verdict)
{
    (void)policy;
    note("decide(%s %s:%u %.*s%s) ", request->method, request->host, request->port,
         (int)request->path_size, request->path, request->has_body ? " body" : "");
    *verdict =
        (struct policy_verdict){ .allowed = !refuses,
                                 .reason = refuses ? POLICY_REASON_METHOD : POLICY_REASON_ALLOWED };
}

void __wrap_record_exchange(const struct exchange *exchange, const char *detail);
void __wrap_record_exchange(const struct exchange *exchange, const char *detail)
{
    (void)detail;
    note("[%u %s %ju/%ju] ", exchange->status, refusals[exchange->refusal].token,
         (uintmax_t)exchange->sent_bytes, (uintmax_t)exchange->received_bytes);
}

static struct proxy proxy;
static struct exchange exchange;

static void expect(const char *expected)
{
    if (strcmp(said, expected) != 0)
        fail_msg("said: %s\nnot:  %s", said, expected);
    said[0] = '\0';
}

static struct head request(const char *method, const char *path)
{
    return (struct head){ .method = { method, strlen(method) },
                          .scheme = SCHEME_HTTPS,
                          .target = { .host = "h.example", .port = 443 },
                          .path = { path, strlen(path) } };
}

static int begin(void **state)
{
    (void)state;
    said[0] = '\0';
    pooled = refuses = false;
    pending = 0;
    return proxy.event ? 0 : sd_event_new(&proxy.event);
}

static int fresh(void **state)
{
    int r = begin(state);

    exchange_init(&exchange, &proxy, client);
    return r;
}

static void simple(void **state)
{
    struct head head = request("GET", "/a/./%61?b"), answer = { .status = 200 };

    (void)state;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    expect("decide(GET h.example:443 /a/a) get ");
    assert_false(exchange_wants_request(&exchange));
    exchange_origin_ready(&exchange, origin, false);
    expect("o:GET/a/a?b o.0 ");
    exchange_response(&exchange, &answer);
    exchange_response_body(&exchange, "xy", 2);
    exchange_response_end(&exchange, NULL, 0);
    expect("c:200 c+xy c.0 [200  0/2] ");
    assert_int_equal(exchange.state, EXCHANGE_NONE);
}

static void a_body_waits_for_the_origin(void **state)
{
    struct head head = request("POST", "/");

    (void)state;
    head.body = BODY_SIZED;
    exchange_request(&exchange, &head);
    expect("decide(POST h.example:443 / body) get ");
    assert_false(exchange_wants_request(&exchange));
    exchange_origin_ready(&exchange, origin, false);
    expect("o:POST/ c:resume ");
    assert_true(exchange_wants_request(&exchange));
    pending = PENDING_MAX;
    assert_false(exchange_wants_request(&exchange));
    assert_false(exchange_wants_response(&exchange));
    exchange_origin_drained(&exchange);
    exchange_client_drained(&exchange);
    expect("");
    /* Not empty, but below the limit; and once. */
    pending = PENDING_MAX - 1;
    exchange_origin_drained(&exchange);
    exchange_client_drained(&exchange);
    expect("c:resume o:resume ");
    exchange_origin_drained(&exchange);
    exchange_client_drained(&exchange);
    expect("");
    exchange_request_body(&exchange, "abc", 3);
    exchange_client_gone(&exchange);
    expect("o+abc o:abort [0 client-gone 3/0] ");
}

static void refusals_ask_nobody(void **state)
{
    struct head head = request("POST", "/");

    (void)state;
    refuses = true;
    exchange_request(&exchange, &head);
    expect("decide(POST h.example:443 /) c:403=no-write-rule c+ c.0 [403 policy 0/0] ");
    exchange_request_body(&exchange, "abc", 3);
    exchange_request_end(&exchange, NULL, 0);
    expect("");

    head = request("GET", "/%zz");
    exchange_request(&exchange, &head);
    expect("c:400=malformed c+ c.0 [400 malformed 0/0] ");

    head = request("HEAD", "/");
    head.head_only = true;
    head.target = (struct identity){ .host = "a.localhost", .port = 80 };
    exchange_request(&exchange, &head);
    expect("c:403=self c.0 [403 self 0/0] ");
}

/* What is judged is what is done. */
static void another_method_is_meant(void **state)
{
    static const char *const names[] = { "X-HTTP-Method-Override", "x_http_method_override",
                                         "X-HTTP-Method", "X-Method-Override",
                                         "HTTP-Method-Override" };
    struct head head = request("GET", "/");
    struct field field = { .value = SLICE("DELETE") };

    (void)state;
    head.fields = &field;
    head.n_fields = 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        field.name = (struct slice){ names[i], strlen(names[i]) };
        exchange_request(&exchange, &head);
        expect("c:403=method-override c+ c.0 [403 method-override 0/0] ");
        assert_false(field_may_trail(field.name));
    }
    field.value = SLICE("get");
    exchange_request(&exchange, &head);
    expect("decide(GET h.example:443 /) get ");
    exchange_client_gone(&exchange);
    expect("forget [0 client-gone 0/0] ");
    field.name = SLICE("X-HTTP-Method-Overrides");
    field.value = SLICE("DELETE");
    exchange_request(&exchange, &head);
    expect("decide(GET h.example:443 /) get ");
    exchange_client_gone(&exchange);
    expect("forget [0 client-gone 0/0] ");
}

static void retries(void **state)
{
    struct head head = request("GET", "/"), answer = { .status = 200 };

    (void)state;
    pooled = true;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    expect("decide(GET h.example:443 /) get o:GET/ o.0 ");
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_CLOSED, "closed");
    expect("fresh ");
    exchange_origin_ready(&exchange, origin, false);
    expect("o:GET/ o.0 ");
    /* Once. */
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_CLOSED, "closed");
    expect("c:502=origin-closed c+ c.0 [502 origin-closed 0/0] ");

    /* Not when some of an answer came, */
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    exchange.origin_spoke = true;
    said[0] = '\0';
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_CLOSED, "closed");
    expect("c:502=origin-closed c+ c.0 [502 origin-closed 0/0] ");

    /* nor for another reason, */
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    said[0] = '\0';
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_HTTP, "what?");
    expect("c:502=origin-http c+ c.0 [502 origin-http 0/0] ");

    /* nor with a body. */
    head.body = BODY_SIZED;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    said[0] = '\0';
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_CLOSED, "closed");
    expect("c:502=origin-closed c+ c.0 [502 origin-closed 0/0] ");

    /* Nor when the client has its head. */
    head.body = BODY_NONE;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    exchange_response(&exchange, &answer);
    said[0] = '\0';
    exchange_origin_failed(&exchange, REFUSAL_ORIGIN_CLOSED, "closed");
    expect("[200 origin-closed 0/0] c:abort ");
}

static void interim(void **state)
{
    struct head head = request("GET", "/"), answer = { .status = 100 };

    (void)state;
    pooled = true;
    exchange_request(&exchange, &head);
    said[0] = '\0';
    exchange_response(&exchange, &answer);
    expect("");
    answer.status = 103;
    exchange_response(&exchange, &answer);
    expect("c:103 ");
    assert_false(exchange.response_begun);
    exchange_request_broken(&exchange, 400, "no");
    expect("o:abort c:400=malformed c+ c.0 [400 malformed 0/0] ");

    head.expects_continue = true;
    exchange_request(&exchange, &head);
    said[0] = '\0';
    answer.status = 100;
    exchange_response(&exchange, &answer);
    expect("c:100 ");
    exchange_timed_out(&exchange);
    expect("o:abort c:504=origin-slow c+ c.0 [504 origin-slow 0/0] ");
}

static void upgrades(void **state)
{
    struct head head = request("GET", "/"),
                answer = { .status = 101, .upgrade = UPGRADE_WEBSOCKET };

    (void)state;
    pooled = true;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    said[0] = '\0';
    exchange_response(&exchange, &answer);
    expect("o:abort c:502=origin-http c+ c.0 [502 origin-http 0/0] ");

    head.upgrade = UPGRADE_WEBSOCKET;
    exchange_request(&exchange, &head);
    exchange_request_end(&exchange, NULL, 0);
    said[0] = '\0';
    exchange_response(&exchange, &answer);
    expect("c:101 ");
    exchange_request_body(&exchange, "up", 2);
    exchange_response_body(&exchange, "down", 4);
    exchange_client_gone(&exchange);
    expect("o+up c+down o:abort [101  2/4] ");
}

static void gone_while_waiting(void **state)
{
    struct head head = request("GET", "/");

    (void)state;
    exchange_request(&exchange, &head);
    said[0] = '\0';
    exchange_client_gone(&exchange);
    expect("forget [0 client-gone 0/0] ");
    exchange_client_gone(&exchange);
    expect("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(simple, fresh),
        cmocka_unit_test_setup(a_body_waits_for_the_origin, fresh),
        cmocka_unit_test_setup(refusals_ask_nobody, fresh),
        cmocka_unit_test_setup(another_method_is_meant, fresh),
        cmocka_unit_test_setup(retries, fresh),
        cmocka_unit_test_setup(interim, fresh),
        cmocka_unit_test_setup(upgrades, fresh),
        cmocka_unit_test_setup(gone_while_waiting, fresh),
    };

    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sd_event_unref(proxy.event);
    return failed;
}
