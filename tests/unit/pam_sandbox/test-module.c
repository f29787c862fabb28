/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The module as libpam meets it: it loads alone, exports its entry points and nothing else, and
 * returns PAM_IGNORE for a user of the host. MODULE is its path. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <security/pam_appl.h>

static int converse(int n, const struct pam_message **message, struct pam_response **response,
                    void *data)
{
    (void)n;
    (void)message;
    (void)response;
    (void)data;
    return PAM_CONV_ERR;
}

static void loads_and_exports_entry_points(void **state)
{
    void *module = dlopen(getenv("MODULE"), RTLD_NOW | RTLD_LOCAL);
    static const char *const exported[] = { "pam_sm_acct_mgmt", "pam_sm_open_session",
                                            "pam_sm_close_session" };
    static const char *const hidden[] = { "view_enter", "environment_plan", "config_load_snapshot",
                                          "admission_find_user" };

    (void)state;
    if (!module)
        fail_msg("%s", dlerror());
    for (size_t i = 0; i < sizeof exported / sizeof exported[0]; i++)
        assert_non_null(dlsym(module, exported[i]));
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        assert_null(dlsym(module, hidden[i]));
    dlclose(module);
}

static void returns(const char *service, int account, int session)
{
    static const struct pam_conv conversation = { .conv = converse };
    char directory[] = "/tmp/test-module-XXXXXX", path[128];
    pam_handle_t *pamh;
    FILE *file;

    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/%s", directory, service);
    file = fopen(path, "we");
    assert_non_null(file);
    /* With nothing but a module that ignores, a stack is no success: PAM_PERM_DENIED. */
    fprintf(file,
            "account required %s\naccount required pam_permit.so\n"
            "session required %s\nsession required pam_permit.so\n",
            getenv("MODULE"), getenv("MODULE"));
    fclose(file);

    assert_int_equal(pam_start_confdir(service, "root", &conversation, directory, &pamh),
                     PAM_SUCCESS);
    assert_int_equal(pam_acct_mgmt(pamh, 0), account);
    assert_int_equal(pam_open_session(pamh, 0), session);
    assert_int_equal(pam_close_session(pamh, 0), session);
    assert_int_equal(pam_end(pamh, PAM_SUCCESS), PAM_SUCCESS);
    unlink(path);
    rmdir(directory);
}

static void other_users_pass(void **state)
{
    (void)state;
    returns("su", PAM_SUCCESS, PAM_SUCCESS);
    returns("systemd-run0", PAM_SUCCESS, PAM_SUCCESS);
    returns("systemd-user", PAM_SUCCESS, PAM_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_exports_entry_points),
        cmocka_unit_test(other_users_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
