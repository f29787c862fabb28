/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where things are. A path that two parts know stands here and nowhere else. */

/* Configuration, in the order in which it is read; later wins, per option. */
#define CONFIG_VENDOR_FILE PKGLIBEXECDIR "/pam-sandbox.conf"
#define CONFIG_DIR "/etc/pam-sandbox"
#define CONFIG_ADMIN_FILE CONFIG_DIR "/pam-sandbox.conf"
#define CONFIG_DROPIN_DIR CONFIG_DIR "/pam-sandbox.conf.d"

/* The proxy's rules: those that come with the package, and the administrator's where a sandbox
 * names no other file. */
#define EGRESS_VENDOR_FILE PKGLIBEXECDIR "/egress.conf"
#define EGRESS_ADMIN_FILE CONFIG_DIR "/egress.conf"

/* State of the running system: 0755, root's. */
#define RUN_DIR "/run/pam-sandbox"

/* The snapshot. SNAPSHOT_FILE is the whole; SNAPSHOT_SPLIT_DIR/NAME.conf is host, run0 and the one
 * sandbox NAME, so that opening a session costs the same with one sandbox and with thousands. */
#define SNAPSHOT_FILE RUN_DIR "/in-force.conf"
#define SNAPSHOT_SPLIT_DIR RUN_DIR "/in-force"
/* In that directory, host and run0 alone; no user name has a '+'. */
#define SNAPSHOT_SPLIT_HOST "+host.conf"
/* Likewise NAME.egress, the rules of its proxy, merged. */
#define SNAPSHOT_EGRESS_SUFFIX ".egress"

/* Written once every layer holds: the digest of SNAPSHOT_FILE, as hex, and a newline. */
#define READY_FILE RUN_DIR "/ready"

/* flock(2): exclusive while policy is being exchanged, shared while a session reads it. 0600. */
#define POLICY_LOCK_FILE RUN_DIR "/lock"

/* While the PAM stacks are being proven: a nonce, 0600. A PAM handle whose environment carries it
 * as PROVING_VARIABLE belongs to the prover, and is let through before READY_FILE exists. */
#define PROVING_FILE RUN_DIR "/proving"
#define PROVING_VARIABLE "PAM_SANDBOX_PROVING"
/* What the module leaves in that handle's environment, one letter a phase it was asked in:
 * "a" account, "s" session, in this order. */
#define PROVING_MARK "PAM_SANDBOX_MARK"

/* The flat files that NSS answers from. */
#define NSS_PASSWD_FILE RUN_DIR "/passwd"
#define NSS_GROUP_FILE RUN_DIR "/group"
#define NSS_SHADOW_FILE RUN_DIR "/shadow"
#define NSS_SUBUID_FILE RUN_DIR "/subuid"
#define NSS_SUBGID_FILE RUN_DIR "/subgid"

/* A sandbox's home is STATE_HOME_DIR/NAME: state of this package, removed when it is purged. */
#define STATE_DIR "/var/lib/pam-sandbox"
#define STATE_HOME_DIR STATE_DIR "/home"

/* Private temporary directories, both 0700 and root's. PRIVATE_TMPFS_DIR/UID is a tmpfs with the
 * directories "tmp" and "shm"; PRIVATE_DISK_DIR/UID holds "var-tmp". They are made when the
 * user's runtime directory is, and emptied when it goes. */
#define PRIVATE_TMPFS_DIR RUN_DIR "/private"
#define PRIVATE_DISK_DIR STATE_DIR "/private"

/* What private-paths are covered with: an empty directory nobody may enter. */
#define EMPTY_DIR RUN_DIR "/empty"

/* host { lock-user }, lock/lock.h: the user's lines of /etc/passwd, here and, for the next boot, in
 * STATE_DIR; what the package's own fragment of sudoers includes; and a rule of polkit's. Both are
 * read in the order of names, so that sudo's has to be a late one and polkit's an early one. */
#define LOCK_USER_NAME "locked"
#define LOCK_USER_FILE RUN_DIR "/" LOCK_USER_NAME
#define LOCK_SUDOERS_DIR RUN_DIR "/sudoers.d"
#define LOCK_SUDOERS_NAME "lock"
#define LOCK_SUDOERS_FILE LOCK_SUDOERS_DIR "/" LOCK_SUDOERS_NAME
#define LOCK_POLKIT_DIR "/run/polkit-1/rules.d"
#define LOCK_POLKIT_NAME "00-00-pam-sandbox-lock.rules"
#define LOCK_POLKIT_FILE LOCK_POLKIT_DIR "/" LOCK_POLKIT_NAME

/* The user that every proxy runs as. */
#define EGRESS_USER "sandbox-egress"

/* The certificate authority of a sandbox, in EGRESS_STATE_DIR/NAME: 0700 and root's. */
#define EGRESS_STATE_DIR STATE_DIR "/egress"

/* What a sandbox's programs are to trust, in EGRESS_PUBLIC_DIR/NAME: its authority, that behind the
 * ones which the system trusts, and for the JVM, if there is one, all of them in PKCS #12.
 * Published once the socket of the sandbox's proxy listens, and taken away when that is closed. */
#define EGRESS_PUBLIC_DIR RUN_DIR "/egress"
#define EGRESS_CERTIFICATE_NAME "ca.pem"
#define EGRESS_BUNDLE_NAME "bundle.pem"
#define EGRESS_JAVA_NAME "java.p12"
/* And what podman is to do for its containers; the device that it gives them is described below
 * CDI_DIR, which is where podman looks for what comes and goes (cdi_spec_dirs in
 * containers.conf(5)). They see what is to be trusted in CONTAINER_TRUST_DIR. */
#define EGRESS_CONTAINERS_NAME "containers.conf"
#define CDI_DIR "/run/cdi"
#define CDI_KIND "pam-sandbox.org/egress"
#define CONTAINER_TRUST_DIR "/dev/pam-sandbox"

/* What the system trusts, as one file: update-ca-certificates(8) makes it. */
#define SYSTEM_BUNDLE "/etc/ssl/certs/ca-certificates.crt"

/* A feed that is fetched, as EGRESS_FEED_DIR/NAME. */
#define EGRESS_FEED_DIR STATE_DIR "/feed"

/* Where each proxy keeps its log, proxy/log.h. */
#define EGRESS_LOG_DIR "/var/log/pam-sandbox"

/* The door: where unprivileged callers ask for a session, pam-sandbox-entry(8). */
#define ENTRY_SOCKET RUN_DIR "/entry"

/* Every sandbox user is in this group; static policy (polkit, sudoers) names it and no user. */
#define SANDBOXES_GROUP "sandboxes"

/* Pins of the kernel policy, root's and 0700. */
#define BPFFS_DIR "/sys/fs/bpf"
#define PINS_DIR BPFFS_DIR "/pam-sandbox"
