# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Who stands at the door. Needs harness.sh.

door_py=$(dirname "${BASH_SOURCE[0]}")/door.py

# as USER COMMAND…: as that user, in none of its sessions, as a service would.
as() {
    local user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --init-groups --inh-caps=-all -- "$@"
}

# door USER METHOD JSON [FD…]: the raw replies.
door() { as "$1" python3 "$door_py" "${@:2}"; }

# door_says PATTERN USER METHOD JSON [FD…]: a reply has it.
door_says() { door "${@:2}" >/tmp/door-said 2>&1; cat /tmp/door-said; grep -q -- "$1" /tmp/door-said; }

# ends_with STATUS COMMAND…
ends_with() {
    local wanted=$1 status
    shift
    "$@" && status=0 || status=$?
    [ "$status" -eq "$wanted" ] || { echo "status $status"; return 1; }
}

# says PATTERN COMMAND…: on either output.
says() { local pattern=$1; shift; "$@" >/tmp/said 2>&1; cat /tmp/said; grep -q -- "$pattern" /tmp/said; }

# none_left: no session that was opened at the door, and nothing that ran in one, within ten seconds.
none_left() {
    local i
    for i in {1..100}; do
        [ -n "$(systemctl list-units --no-legend --plain 'pam-sandbox-session-*' 2>/dev/null)" ] ||
            [ -n "$(pgrep -u sandbox -f 'door-mark' || true)" ] || return 0
        sleep 0.1
    done
    systemctl list-units --no-legend 'pam-sandbox-session-*'
    pgrep -u sandbox -a
    return 1
}

# until_runs PATTERN: as the sandbox; within ten seconds.
until_runs() {
    local i
    for i in {1..200}; do
        ! pgrep -u sandbox -f -- "$1" >/dev/null || return 0
        sleep 0.05
    done
    return 1
}

# hold_sandbox, release_sandbox: a session stays open meanwhile, so that no user manager is started for
# each.
hold_sandbox() {
    mkfifo /run/held
    run0 --user=sandbox --pipe -- cat </run/held >/dev/null 2>&1 &
    held=$!
    exec {hold}>/run/held
    until_runs '^cat'
}
release_sandbox() {
    exec {hold}>&-
    wait "$held" || true
    rm /run/held
}
