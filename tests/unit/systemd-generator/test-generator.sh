#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# test-generator.sh GENERATOR: runs the program on trees that are not running.
# shellcheck disable=SC2317  # functions are called through check

set -eu

generator=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

# Configuration is root's, or refused.
[ "$(id -u)" = 0 ] || exit 77

check() {
    what=$1
    shift
    if "$@"; then
        echo "ok - $what"
    else
        echo "not ok - $what"
        failed=1
    fi
}

# fresh NAME: output directories that are empty, as PID 1 provides them.
fresh() {
    mkdir -p "$work/$1/normal" "$work/$1/early" "$work/$1/late"
}

generate() {
    out=$work/$1
    shift
    "$generator" --root="$root" "$@" "$out/normal" "$out/early" "$out/late"
}

# names OUTPUT: what is in the early directory.
names() {
    (cd "$work/$1/early" && find . ! -type d | LC_ALL=C sort)
}

has_line() { grep -qxF "$2" "$work/$1"; }
is_empty() { [ -z "$(find "$work/$1" -mindepth 2)" ]; }
says() { grep -q "$1" "$work/stderr"; }

new_root() {
    root=$work/$1
    mkdir -p "$root/etc/pam-sandbox" "$root/usr/lib/pam-sandbox" "$root/run/pam-sandbox"
}

new_root plain
cat >"$root/etc/pam-sandbox/pam-sandbox.conf" <<'CONF'
host {
    stop-services = { "docker.socket", "docker.service" }
}
sandbox "alpha" {
    uid = 59001
    limits { tasks = 4096  memory = "8G"  cpu-weight = 50  io-weight = 200 }
}
sandbox "beta" {
    uid = 59002
    private-tmp = false
    egress { proxy = false }
    limits { tasks = "infinity"  memory = "infinity" }
}
CONF

fresh a
check "a good configuration" generate a
cat >"$work/expected" <<'NAMES'
./docker.service
./docker.socket
./pam-sandbox-egress@alpha.service.d/50-pam-sandbox.conf
./pam-sandbox-egress@alpha.socket.d/50-pam-sandbox.conf
./pam-sandbox-ready.service.d/50-layers.conf
./pam-sandbox.target.wants/pam-sandbox-denials.service
./pam-sandbox.target.wants/pam-sandbox-egress-feeds.timer
./pam-sandbox.target.wants/pam-sandbox-egress@alpha.socket
./pam-sandbox.target.wants/pam-sandbox-entry.socket
./pam-sandbox.target.wants/pam-sandbox-firewall.service
./pam-sandbox.target.wants/pam-sandbox-lsm.service
./pam-sandbox.target.wants/pam-sandbox-ready.service
./pam-sandbox.target.wants/pam-sandbox-reaper.service
./pam-sandbox.target.wants/pam-sandbox-stacks.service
./user-59001.slice.d/50-pam-sandbox.conf
./user-59002.slice.d/50-pam-sandbox.conf
./user-runtime-dir@59001.service.d/50-pam-sandbox.conf
./user-runtime-dir@59002.service.d/50-pam-sandbox.conf
./user@59001.service.d/50-pam-sandbox.conf
./user@59002.service.d/50-pam-sandbox.conf
NAMES
names a >"$work/found"
check "exactly these files" diff -u "$work/expected" "$work/found"
check "nothing outside of the early directory" [ -z "$(find "$work/a/normal" "$work/a/late" -mindepth 1)" ]
check "a stopped service is masked" [ "$(readlink "$work/a/early/docker.service")" = /dev/null ]
check "tasks" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf TasksMax=4096
check "memory in bytes" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf MemoryMax=8589934592
check "CPU weight" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf CPUWeight=50
check "IO weight" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf IOWeight=200
check "no limit is said as such" has_line a/early/user-59002.slice.d/50-pam-sandbox.conf TasksMax=infinity
check "the kernel policy outlasts them" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf After=pam-sandbox-lsm.service
check "devices are closed" has_line a/early/user-59001.slice.d/50-pam-sandbox.conf DevicePolicy=closed
# 16384 + 59001 % 16384
check "a proxy where there is to be one" has_line a/early/pam-sandbox-egress@alpha.socket.d/50-pam-sandbox.conf \
    ListenStream=127.0.0.1:26233
check "which gets its key" has_line a/early/pam-sandbox-egress@alpha.service.d/50-pam-sandbox.conf \
    OpenFile=/var/lib/pam-sandbox/egress/alpha/ca.key:ca-key:read-only
check "the header names the sandbox" grep -q 'sandbox "alpha"' "$work/a/early/user-59001.slice.d/50-pam-sandbox.conf"
check "the header names the source" grep -q '/etc/pam-sandbox' "$work/a/early/user-59001.slice.d/50-pam-sandbox.conf"
check "temporary directories are made with the runtime directory" grep -qx \
    "ExecStartPre=/.*/private-tmp make 59001" "$work/a/early/user-runtime-dir@59001.service.d/50-pam-sandbox.conf"
check "and removed" grep -qx \
    "ExecStopPost=/.*/private-tmp remove 59001" "$work/a/early/user-runtime-dir@59001.service.d/50-pam-sandbox.conf"
check "the slice's processes are the user's to move" grep -qx \
    "ExecStartPre=/usr/bin/chown --no-dereference 59001 /sys/fs/cgroup/user.slice/user-59001.slice/cgroup.procs" \
    "$work/a/early/user-runtime-dir@59001.service.d/50-pam-sandbox.conf"
for line in BindsTo After; do
    check "sessions depend on the kernel policy, $line" \
        has_line a/early/pam-sandbox-ready.service.d/50-layers.conf "$line=pam-sandbox-lsm.service"
done

for unit in user user-runtime-dir; do
    check "sessions may follow each other closely, $unit@" \
        has_line "a/early/$unit@59002.service.d/50-pam-sandbox.conf" StartLimitIntervalSec=0
done
check "no temporary directories where they are not wanted" \
    sh -c "! grep private-tmp '$work/a/early/user-runtime-dir@59002.service.d/50-pam-sandbox.conf'"
check "the slice's processes are the user's to move there, too" \
    grep -q ' 59002 .*/user-59002.slice/cgroup.procs$' "$work/a/early/user-runtime-dir@59002.service.d/50-pam-sandbox.conf"

fresh b
check "a second run" generate b
check "is byte-identical" diff -r --no-dereference "$work/a" "$work/b"

cp -a "$work/a" "$work/before"
check "a directory that is not empty is refused" [ "$(generate a 2>"$work/stderr" && echo yes)" != yes ]
check "by name" says 'a/early/docker.socket: cannot write: File exists'
check "and left as it was" diff -r --no-dereference "$work/before" "$work/a"

fresh masked
mkdir "$work/masked/early/user-59001.slice.d"
ln -s /dev/null "$work/masked/early/user-59001.slice.d/50-pam-sandbox.conf"
check "a link in the way is not followed" [ "$(generate masked 2>/dev/null && echo yes)" != yes ]

new_root without
printf 'host {\n    kernel-policy = false\n}\nsandbox "alpha" {\n    uid = 59001\n}\n' >"$root/etc/pam-sandbox/pam-sandbox.conf"
fresh without-out
check "without the kernel policy" generate without-out
check "nothing of it is started" sh -c "! find '$work/without-out' | grep -e lsm -e denials"
check "nothing depends on it" sh -c "! find '$work/without-out' | grep pam-sandbox-ready.service.d"
check "all else is there" [ "$(names without-out | grep -c 59001)" = 3 ]

new_root broken
cat >"$root/etc/pam-sandbox/pam-sandbox.conf" <<'CONF'
sandbox "alpha" {
    uid = 59001
}
sandbox "beta" {
    uid = 59001
    private-pahts = { "/opt" }
}
CONF
fresh broken-out
check "a broken configuration fails" [ "$(generate broken-out 2>"$work/stderr" && echo yes)" != yes ]
check "with file and line" says 'pam-sandbox.conf:[0-9][0-9]*: '
check "and nothing is written" is_empty broken-out

new_root empty
printf 'host {\n}\n' >"$root/etc/pam-sandbox/pam-sandbox.conf"
fresh empty-out
check "without a sandbox" generate empty-out
check "nothing is written" is_empty empty-out

new_root locked
printf 'host {\n    lock-user = "runner"\n}\n' >"$root/etc/pam-sandbox/pam-sandbox.conf"
fresh locked-out
check "a user who is locked, without a sandbox" generate locked-out
for unit in firewall lsm ready stacks; do
    check "it has pam-sandbox-$unit.service started" \
        [ -L "$work/locked-out/early/pam-sandbox.target.wants/pam-sandbox-$unit.service" ]
done
check "and nothing of a sandbox's" sh -c "! find '$work/locked-out' | grep -e user- -e user@ -e egress@"

# What is in force wins over an edit that was not applied.
new_root inforce
cp "$work/broken/etc/pam-sandbox/pam-sandbox.conf" "$root/etc/pam-sandbox/"
printf 'sandbox "gamma" {\n    uid = 59003\n}\n' >"$root/run/pam-sandbox/in-force.conf"
fresh inforce-out
check "the snapshot comes first" generate inforce-out
check "and alone" grep -q in-force.conf "$work/inforce-out/early/user@59003.service.d/50-pam-sandbox.conf"

check "a wrong command line fails" [ "$("$generator" "$work/a/normal" 2>/dev/null && echo yes)" != yes ]

# A look-up would wait for a name service that PID 1 has to start yet; fgetpwent(3) and its like,
# which read one file, are none.
check "no name service is asked" sh -c "! nm -D --undefined-only '$generator' |
    grep -E ' U (get(pw|gr|sp|host|addr|serv|proto|net|login)|initgroups|dlopen|__nss)'"

exit $failed
