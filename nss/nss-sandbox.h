/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The entry points of libnss_sandbox.so.2, which glibc finds by name for the service "sandbox" of
 * nsswitch.conf(5). They read NSS_PASSWD_FILE, NSS_GROUP_FILE and NSS_SHADOW_FILE and nothing else,
 * keep nothing between calls but the place of an enumeration, and put every string into the
 * caller's buffer. nss/nss-table.h says what they return.
 *
 * Not a boundary: the files are root's. But whatever is in them, no entry with an id of the system,
 * no group 0, and no password is ever answered. */

#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <shadow.h>
#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

enum nss_status _nss_sandbox_getpwnam_r(const char *name, struct passwd *entry, char *buffer,
                                        size_t size, int *errnop);
enum nss_status _nss_sandbox_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
                                        int *errnop);
enum nss_status _nss_sandbox_setpwent(int stayopen);
enum nss_status _nss_sandbox_getpwent_r(struct passwd *entry, char *buffer, size_t size,
                                        int *errnop);
enum nss_status _nss_sandbox_endpwent(void);

enum nss_status _nss_sandbox_getgrnam_r(const char *name, struct group *entry, char *buffer,
                                        size_t size, int *errnop);
enum nss_status _nss_sandbox_getgrgid_r(gid_t gid, struct group *entry, char *buffer, size_t size,
                                        int *errnop);
enum nss_status _nss_sandbox_setgrent(int stayopen);
enum nss_status _nss_sandbox_getgrent_r(struct group *entry, char *buffer, size_t size,
                                        int *errnop);
enum nss_status _nss_sandbox_endgrent(void);

/* Adds the groups that user is a member of, other than group, to the n_groups that are there:
 * *groups has room for *size, grows by realloc(3), and never to more than limit when that is
 * above 0. */
enum nss_status _nss_sandbox_initgroups_dyn(const char *user, gid_t group, long int *n_groups,
                                            long int *size, gid_t **groups, long int limit,
                                            int *errnop);

enum nss_status _nss_sandbox_getspnam_r(const char *name, struct spwd *entry, char *buffer,
                                        size_t size, int *errnop);
enum nss_status _nss_sandbox_setspent(int stayopen);
enum nss_status _nss_sandbox_getspent_r(struct spwd *entry, char *buffer, size_t size, int *errnop);
enum nss_status _nss_sandbox_endspent(void);

#pragma GCC visibility pop
