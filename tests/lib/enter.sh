# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Running a command in a root, in namespaces of its own. Needs common.sh.

# in_root NET LOWER UPPER [BIND…] -- COMMAND…: NET is `host` or `none`; LOWER and
# UPPER as in new-root.sh. Returns the command's status. The namespaces die with
# this shell, also when that is killed: setpriv ties unshare to it, --kill-child ties
# the namespace's PID 1 to unshare.
in_root() {
    local options=() status
    [ "$1" = host ] || options=(--net)
    shift
    mkdir -p "$cache/mnt"
    need_tools unshare:util-linux setpriv:util-linux ip:iproute2
    setpriv --pdeathsig KILL unshare --mount --pid --uts --ipc "${options[@]}" --fork --kill-child \
        "$tree/tests/lib/enter-root" "$@" <&0 &
    local child=$!
    # shellcheck disable=SC2064  # the child of now
    trap "kill -KILL $child 2>/dev/null || true; exit 143" TERM HUP
    wait "$child" && status=0 || status=$?
    trap - TERM HUP
    return "$status"
}
