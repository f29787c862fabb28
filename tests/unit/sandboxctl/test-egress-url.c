/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/cleanup.h"
#include "sandboxctl/egress-url.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void accepts(const char *text, const char *host, uint16_t port, const char *path,
                    bool normalised)
{
    struct egress_url url;
    const char *problem = NULL;

    assert_int_equal(egress_url_parse(text, &url, &problem), 0);
    assert_string_equal(url.identity.host, host);
    assert_int_equal(url.identity.port, port);
    assert_int_equal(url.path_size, strlen(path));
    assert_memory_equal(url.path, path, url.path_size);
    assert_int_equal(url.normalised, normalised);
    free(url.path);
}

static void refuses(const char *text)
{
    struct egress_url url;
    const char *problem = NULL;

    assert_int_equal(egress_url_parse(text, &url, &problem), -EINVAL);
    assert_non_null(problem);
}

static void test_right(void **state)
{
    (void)state;
    accepts("https://example.org", "example.org", 443, "/", false);
    accepts("http://example.org/", "example.org", 80, "/", false);
    accepts("HTTPS://Example.ORG.:8443/a", "example.org", 8443, "/a", false);
    accepts("https://example.org?q=/x", "example.org", 443, "/", false);
    accepts("https://example.org/a?q#f", "example.org", 443, "/a", false);
    accepts("https://example.org#f", "example.org", 443, "/", false);
    accepts("https://[2001:DB8::1]:1/", "2001:db8::1", 1, "/", false);
    accepts("https://192.0.2.1/", "192.0.2.1", 443, "/", false);
    accepts("https://example.org/a/../%41", "example.org", 443, "/A", true);
    accepts("https://example.org/%2f", "example.org", 443, "/%2f", false);
}

static void test_wrong(void **state)
{
    static const char *const texts[] = {
        "",
        "example.org",
        "ftp://example.org/",
        "https:/example.org/",
        "https://",
        "https:///a",
        "https://user@example.org/",
        "https://user:password@example.org/",
        "https://example.org:/",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://2130706433/",
        "https://2001:db8::1/",
        "https://a b/",
        "https://example.org/a b",
        "https://example.org/%zz",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        refuses(texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
