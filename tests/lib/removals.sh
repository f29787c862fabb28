# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How a removal is written: one protection is taken away, `sandboxctl check` must then fail in
# exactly the probes that are named, and the protection is put back. A probe that was never seen
# to fail proves nothing. Needs harness.sh.

removals_scripts=/usr/local/libexec/removals
mkdir -p "$removals_scripts"

# An edit of the PAM stacks is noticed, and without a new proof of them there is no session. Here
# it has to be seen what would happen if it was not.
kill -STOP "$(systemctl show --property MainPID --value pam-sandbox-stacks.service)"

# The next session gets a user manager of its own, with what is then in the stacks and units.
removals_fresh() {
    systemctl stop user@59000.service user-runtime-dir@59000.service
}

# fails_exactly WHAT PROBE…: those and no others fail, and no control does.
fails_exactly() {
    local what=$1
    shift
    removals_fresh
    works "without $what, exactly these fail: $*" removals_compare "$@"
}

removals_compare() {
    local status=0 output
    output=$(sandboxctl check) || status=$?
    diff -u --label expected --label failed <(printf '%s\n' "$@" | sort) \
        <(sed -n 's/^FAIL \([^ ]*\) .*/\1/p' <<<"$output" | sort) || {
        grep -v '^ok ' <<<"$output"
        return 1
    }
    [ "$status" -eq 1 ]
}

# removals_of WHAT SANDBOX PATTERNS PROBE…: without WHAT, exactly the named of these probes fail, and no
# control does. Of those over many objects some hold for another reason, such as a file's mode.
removals_of() {
    local what=$1
    works "without $what, exactly these fail: ${*:4}" removals_compare_some "${@:2}"
}

removals_compare_some() {
    local sandbox=$1 patterns=$2 output
    shift 2
    output=$(sandboxctl check --only "$patterns" "$sandbox")
    diff -u --label expected --label failed <(printf '%s\n' "$@" | sort) \
        <(sed -n 's/^FAIL \([^ ]*-control\) .*/\1/p; s/^FAIL \([^ :]*:\{0,1\}\).*/\1/p' <<<"$output" |
            sort -u) || {
        grep -v '^ok ' <<<"$output"
        return 1
    }
}

# all_hold WHAT [PATTERN]: a protection of two was taken away, and the other one stands.
all_hold() {
    removals_fresh
    works "$1" sandboxctl check --only "${2:-*}"
}

# session_runs SERVICE COMMAND…: each new session that the sandbox opens through the PAM service runs
# the commands, as root and in the view that the module has made, after the module. SERVICE is
# systemd-run0 or systemd-user.
session_runs() {
    local service=$1 script=$removals_scripts/$1
    shift
    printf '%s\n' '#!/bin/bash' 'set -eu' '[ "$PAM_USER" = sandbox ] || exit 0' >"$script"
    printf '%s\n' "$@" >>"$script"
    chmod 0755 "$script"
    stack_ends_with "$service" "session required pam_exec.so type=open_session $script"
}

# stack_ends_with SERVICE LINE: the service's stack as it is, and the line after the module's.
stack_ends_with() {
    local service=$1
    {
        case $service in
            systemd-user) cat /usr/lib/pam.d/systemd-user ;;
            *) cat /etc/pam.d/other ;;
        esac
        echo "$2"
    } >"/etc/pam.d/$service"
}

# stacks_restored: the services have the distribution's stacks again.
stacks_restored() {
    rm -f /etc/pam.d/systemd-run0 /etc/pam.d/systemd-user
}

# without_account SERVICE, with_account SERVICE: the module out of the account phase of one
# service, and out of its session phase, which asks the same about whom sudo asks for; and back.
without_account() {
    cp "/etc/pam.d/$1" "$removals_scripts/$1.saved"
    sed -i 's/^@include common-\(account\|session\)\(-noninteractive\)\?$/\1 required pam_unix.so/' \
        "/etc/pam.d/$1"
    ! grep -q '^@include common-\(account\|session\)' "/etc/pam.d/$1"
}

with_account() {
    mv "$removals_scripts/$1.saved" "/etc/pam.d/$1"
}
