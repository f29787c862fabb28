#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# test-sandbox-users.sh PROGRAM: sandbox-users on a root directory of its own.

set -eu
program=$1
[ "$(id -u)" -eq 0 ] || exit 77

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
run=$root/run/pam-sandbox
homes=$root/var/lib/pam-sandbox/home
failed=0

mkdir -p "$root/run" "$root/etc/pam-sandbox" "$root/var/lib" "$root/usr/lib"
cat >"$root/etc/passwd" <<'END'
root:x:0:0:root:/root:/bin/bash
END
cat >"$root/etc/group" <<'END'
root:x:0:
shadow:x:42:
kvm:x:991:
sandboxes:x:990:
END
: >"$root/etc/subuid"
: >"$root/etc/subgid"

# configure NAME...: sandboxes with uids from 59000 on.
configure() {
    uid=59000
    for name; do
        echo "sandbox \"$name\" { uid = $uid groups = { \"kvm\" } }"
        uid=$((uid + 1))
    done >"$root/etc/pam-sandbox/pam-sandbox.conf"
}

# expect STATUS: runs the program; what it says is in $said.
expect() {
    status=0
    said=$("$program" --root="$root" 2>&1) || status=$?
    [ "$status" -eq "$1" ] || wrong "exit status $status instead of $1: $said"
}

wrong() {
    echo "$case: $*" >&2
    failed=1
}
says() {
    case $said in
    *"$1"*) ;;
    *) wrong "does not say \"$1\": $said" ;;
    esac
}
users() { [ "$(cut -d: -f1 "$run/passwd" 2>/dev/null | tr '\n' ' ')" = "$1" ] || wrong "users are not: $1"; }
nothing_in_force() {
    for file in in-force.conf passwd group shadow subuid subgid ready; do
        [ ! -e "$run/$file" ] || wrong "$file is there"
    done
}

case='an error at boot'
echo 'sandbox "one" {
    uid = 59000
    unknown = 1
}' >"$root/etc/pam-sandbox/pam-sandbox.conf"
expect 1
says 'pam-sandbox.conf:3: '
says 'no sandbox user exists'
nothing_in_force

case='a first run'
configure one two
expect 0
[ -z "$said" ] || wrong "said: $said"
users 'one two '
[ -s "$run/in-force.conf" ] || wrong 'no snapshot'
[ "$(stat -c '%u:%g %a' "$homes/one")" = '59000:59000 700' ] || wrong 'home'

case='a second run'
echo digest >"$run/ready"
configure one
expect 0
users 'one '
[ ! -e "$run/ready" ] || wrong 'ready is still there'

case='an error while something is in force'
echo digest >"$run/ready"
configure one two
echo 'sandbox "three" { }' >>"$root/etc/pam-sandbox/pam-sandbox.conf"
expect 1
says 'pam-sandbox.conf:3: '
says 'stays in force'
users 'one '
[ -e "$run/ready" ] || wrong 'ready is gone'

case='the home of somebody else'
configure one three
mkdir "$homes/three"
expect 1
says 'three'
says 'stays in force'
users 'one '
rmdir "$homes/three"

case='no group of all sandboxes'
sed -i /^sandboxes:/d "$root/etc/group"
expect 1
says 'no group "sandboxes"'
says 'stays in force'
users 'one '
echo sandboxes:x:990: >>"$root/etc/group"

case='a new state that cannot be written'
configure one two
mkdir "$run/.shadow.new"
expect 1
says 'cannot write /run/pam-sandbox/shadow'
says 'nothing is in force now'
nothing_in_force
rmdir "$run/.shadow.new"

case='a new state that cannot be written, after which the old one can'
configure one
expect 0
configure one four
mkdir -p "$homes/.new/keep"
expect 1
says 'cannot make the home'
says 'in force again'
users 'one '
grep -q '"four"' "$run/in-force.conf" && wrong 'the snapshot is of the new state'
rm -r "$homes/.new"

case='an error at boot with what was left'
rm "$run/in-force.conf"
configure one one
expect 1
nothing_in_force

case='a user who is locked'
echo 'runner:x:1001:1001::/home/runner:/bin/bash' >>"$root/etc/passwd"
echo 'host { lock-user = "runner" }' >"$root/etc/pam-sandbox/pam-sandbox.conf"
expect 0
grep -q '"runner" ALL = (ALL : ALL) !ALL' "$run/sudoers.d/lock" || wrong 'sudo is not told'
grep -q '"runner"' "$root/run/polkit-1/rules.d/00-00-pam-sandbox-lock.rules" || wrong 'polkit is not told'
grep -q '^runner:' "$run/locked" || wrong 'PAM is not told'

case='an error at boot, with a user who is locked'
rm -r "$root/run"/*
mkdir "$run"
echo 'host { lock-user = "runner" nonsense }' >"$root/etc/pam-sandbox/pam-sandbox.conf"
expect 1
says 'user "runner" stays locked'
nothing_in_force
grep -q '"runner" ALL = (ALL : ALL) !ALL' "$run/sudoers.d/lock" || wrong 'sudo is not told'
grep -q '^runner:' "$run/locked" || wrong 'PAM is not told'

case='nobody is locked any more'
configure one
expect 0
[ -z "$(find "$root" -name '*lock*' ! -name lock)" ] || wrong 'something of it is left'
[ ! -e "$run/sudoers.d" ] || wrong 'sudo is still told'

case=usage
status=0
"$program" --root 2>/dev/null || status=$?
[ "$status" -eq 2 ] || wrong "exit status $status"
status=0
"$program" more 2>/dev/null || status=$?
[ "$status" -eq 2 ] || wrong "exit status $status"
"$program" --help | grep -q -e --root || wrong 'no help'

exit "$failed"
