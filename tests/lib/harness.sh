# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How a system test is written. It is an executable file in tests/system that runs as
# root in a machine and sources this. Comments at its top say where it runs:
#
#   # machine: trixie forky         once on each of these releases
#   # machine: trixie --vm          lines add up; options are those of tests/machine, and an
#                                   argument with spaces is quoted
#   # shares a machine              with others that say so and want the same one
#   # minutes: 20                   how long it may take, if not 10
#
# It fails when a check fails, when it makes none, when it does not get to its end, and
# when its last command fails.

set -u
exec </dev/null

harness_passed=0
harness_failed=0
harness_skipped=0
harness_log=$(mktemp)

# works WHAT COMMAND…: COMMAND, which may be a function, must succeed. Its output is shown
# when it does not. Returns 0 either way.
works() {
    local what=$1 status
    shift
    "$@" >"$harness_log" 2>&1 && status=0 || status=$?
    if [ "$status" -eq 0 ]; then
        harness_ok "$what"
    else
        harness_not_ok "$what" "it ended with status $status" "$@"
    fi
}

# refused WHAT COMMAND…: COMMAND must fail, for a reason of its own: one that is not there,
# or that crashes, proves nothing.
refused() {
    local what=$1 status
    shift
    "$@" >"$harness_log" 2>&1 && status=0 || status=$?
    case $status in
        0) harness_not_ok "$what" "it succeeded" "$@" ;;
        127) harness_not_ok "$what" "there is no such command" "$@" ;;
        134 | 135 | 136 | 139) harness_not_ok "$what" "it crashed (status $status)" "$@" ;;
        *) harness_ok "$what" ;;
    esac
}

# skipped WHAT WHY: for what this machine cannot show.
skipped() {
    harness_skipped=$((harness_skipped + 1))
    printf 'ok - %s # skip %s\n' "$1" "$2"
}

# journal OPTION…: what was logged by now, since boot; journald takes entries in when it gets to it.
journal() { journalctl --quiet --sync && journalctl --quiet --boot --output=cat "$@"; }

# in_journal PATTERN OPTION…: grep's; whether such a line is among those.
in_journal() { journal "${@:2}" | grep -q -- "$1"; }

harness_ok() {
    harness_passed=$((harness_passed + 1))
    printf 'ok - %s\n' "$1"
}

harness_not_ok() {
    local what=$1 why=$2
    shift 2
    harness_failed=$((harness_failed + 1))
    printf 'not ok - %s\n' "$what"
    [ $# -eq 0 ] || printf '# command: %s\n' "$(printf '%q ' "$@")"
    printf '# %s\n' "$why"
    # Of what a check says, what did not pass.
    { grep -Ev "^(ok|skip) " "$harness_log" || true; } | tail -n 40 | sed "s/^/# | /"
}

# shellcheck disable=SC2317  # called by the trap
harness_end() {
    local status=$?
    trap - EXIT
    : >"$harness_log"
    [ "$status" -eq 0 ] || harness_not_ok "the test gets to its end" "it stopped with status $status"
    [ "$((harness_passed + harness_failed + harness_skipped))" -gt 0 ] ||
        harness_not_ok "the test checks something" "it made no check"
    rm -f "$harness_log"
    printf '== %s: %d passed, %d failed, %d skipped\n' \
        "${0##*/}" "$harness_passed" "$harness_failed" "$harness_skipped"
    [ "$harness_failed" -eq 0 ]
    exit
}
trap harness_end EXIT
# Ended from outside, the shell would not run the trap above.
trap 'exit 143' TERM
