# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What every script of the test bed needs: messages, the cache, locks, and the
# tools of the host. Sourced with `set -euo pipefail` in force.

# shellcheck disable=SC2034  # not every script looks at the tree
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache=${PAM_SANDBOX_CACHE:-/var/cache/pam-sandbox}
me=${0##*/}

# Messages go to stderr: stdout belongs to the command that is run.
say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() {
    say "$*"
    exit 125
}

# Prints the comment block at the top of the script, which is its manual.
usage() { sed -n '4,/^$/{s/^# \{0,1\}//p}' "$0"; }

need_root() {
    [ "$(id -u)" -eq 0 ] || die "must run as root: it makes namespaces, mounts and device nodes"
    mkdir -p "$cache" || die "cannot make the cache $cache; set PAM_SANDBOX_CACHE to a directory on a disk"
}

# need_tools PROGRAM:PACKAGE...: installs what the host lacks where the host is a
# Debian, says what to install where it is not.
need_tools() {
    local entry missing=()
    for entry; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "missing on this host: ${missing[*]} (names of Debian packages)"
    say "installing on this host: ${missing[*]}"
    (
        flock 9
        apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install "${missing[@]}"
    ) 9>"$cache/host-packages.lock" >"$cache/host-packages.log" 2>&1 ||
        die "cannot install ${missing[*]}; what apt-get said is in $cache/host-packages.log"
}

# digest: the first 16 hex digits of the SHA-256 of stdin, for names in the cache.
digest() { sha256sum | cut -c1-16; }

# once PATH WHAT COMMAND...: makes PATH in the cache unless it is there. COMMAND
# gets a scratch directory as its last argument and leaves its result there under
# the name `result`; a half-made one is never seen, and two callers make it once.
# COMMAND runs without `set -e`: it has to return its own failures. What it says belongs
# into PATH.log.
once() {
    local path=$1 what=$2
    shift 2
    [ ! -e "$path" ] || return 0
    mkdir -p "${path%/*}"
    local fd
    exec {fd}>"$path.lock"
    if ! flock -n "$fd"; then
        say "another run is making $what, waiting for it"
        flock "$fd"
    fi
    if [ ! -e "$path" ]; then
        local started=$SECONDS
        say "making $what"
        remove_tree "$path.partial"
        mkdir "$path.partial"
        if ! "$@" "$path.partial"; then
            [ ! -e "$path.log" ] || tail -n 30 "$path.log" >&2
            die "cannot make $what; above is the end of $path.log"
        fi
        mv "$path.partial/result" "$path"
        remove_tree "$path.partial"
        [ $((SECONDS - started)) -lt 5 ] || say "made $what in $((SECONDS - started)) s"
    fi
    exec {fd}>&-
}

# remove_tree DIR: without following a mount that somebody left below it.
remove_tree() {
    [ -e "$1" ] || return 0
    rm -rf --one-file-system -- "$1"
}

# cache_forget: drops what nobody used for some days (what is used is touched), and all but
# the last disks of VMs, which are large.
cache_forget() {
    local old
    for old in layers packages build logs; do
        [ ! -d "$cache/$old" ] ||
            find "$cache/$old" -mindepth 1 -maxdepth 1 -mtime +3 -exec rm -rf --one-file-system {} +
    done
    for old in roots kernels; do
        [ ! -d "$cache/$old" ] ||
            find "$cache/$old" -mindepth 1 -maxdepth 1 -mtime +14 -exec rm -rf --one-file-system {} +
    done
    # As many as one run of tests/all has use for, of 500 MB each.
    [ ! -d "$cache/images" ] ||
        find "$cache/images" -type f -size +1M -printf '%T@ %p\n' | sort -rn | tail -n +9 |
        while read -r _ old; do
            rm -f "$old"
        done
}
