/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "nss/users-home.h"

#include "conf/cleanup.h"
#include "conf/paths.h"
#include "nss/users-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* No user name begins with a dot. */
#define NEW_HOME ".new"

int homes_open(int root, bool make, const struct report *report)
{
    return dir_open(root, STATE_HOME_DIR, make, report);
}

/* A descriptor of the home after it was seen to be the sandbox's, or -ENOENT, or another errno. */
static int home_open(int homes, const struct config_sandbox *s, const struct report *report)
{
    struct stat st;
    if (fstatat(homes, s->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        int r = -errno;
        if (r != -ENOENT)
            report_errno(report, r, "cannot look at %s/%s", STATE_HOME_DIR, s->name);
        return r;
    }
    if (!S_ISDIR(st.st_mode)) {
        report_message(report,
                       "sandbox \"%s\": %s/%s is not a directory; move it away, it will be made",
                       s->name, STATE_HOME_DIR, s->name);
        return -EINVAL;
    }
    if (st.st_uid != s->uid) {
        report_message(
            report,
            "sandbox \"%s\": the home %s/%s belongs to uid %u and not to uid %u; move it "
            "away, or give the sandbox that uid",
            s->name, STATE_HOME_DIR, s->name, st.st_uid, s->uid);
        return -EINVAL;
    }
    /* Only root can exchange it meanwhile. */
    int fd = openat(homes, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        fd = -errno;
        report_errno(report, fd, "cannot open %s/%s", STATE_HOME_DIR, s->name);
    }
    return fd;
}

int home_check(int homes, const struct config_sandbox *s, const struct report *report)
{
    int fd = home_open(homes, s, report);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    close(fd);
    return 0;
}

static int make(int homes, const struct config_sandbox *s)
{
    if (unlinkat(homes, NEW_HOME, AT_REMOVEDIR) < 0 && errno != ENOENT)
        return -errno;
    if (mkdirat(homes, NEW_HOME, 0700) < 0)
        return -errno;
    _cleanup_close_ int fd =
        openat(homes, NEW_HOME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fchown(fd, s->uid, s->uid) < 0 || fchmod(fd, 0700) < 0 ||
        renameat2(homes, NEW_HOME, homes, s->name, RENAME_NOREPLACE) < 0) {
        int r = -errno;
        unlinkat(homes, NEW_HOME, AT_REMOVEDIR);
        return r;
    }
    return 0;
}

int home_make(int homes, const struct config_sandbox *s, const struct report *report)
{
    _cleanup_close_ int fd = home_open(homes, s, report);
    int r = fd;
    if (fd == -ENOENT)
        r = make(homes, s);
    else if (fd >= 0)
        r = fchmod(fd, 0700) < 0 ? -errno : 0;
    else
        return r;
    if (r < 0)
        report_errno(report, r, "cannot make the home %s/%s", STATE_HOME_DIR, s->name);
    return r;
}
