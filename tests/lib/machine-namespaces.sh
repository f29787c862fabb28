# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A machine in namespaces on the running kernel. Needs common.sh, cgroup.sh, dropin.sh; $state
# is the machine's state directory, and the janitor holds on to it.

# namespaces_start LOWER CONFIG PACKAGE: boots. Sets $init, the PID of its systemd.
namespaces_start() {
    local report
    cgroup_controllers
    say "no kernel policy here ($dropin); it can be tested with --vm"
    mkdir -p "$cache/mnt"
    # The cgroup files are opened here because a process of the new cgroup namespace
    # may not name what is outside of it.
    exec {report}< <(
        exec {leash}>&- 5>"$cgroup/holder/cgroup.procs" 6>"$cgroup/machine/cgroup.procs"
        echo 0 >&6
        # shellcheck disable=SC2016  # for the shell in the new namespace
        exec setsid unshare --cgroup bash -c '
            echo 0 >&5 && exec 5>&- &&
            exec unshare --mount --uts --ipc --net --pid --fork --kill-child "$@"
        ' bash "$tree/tests/lib/boot-namespaces" "$@" 2>"$state/boot.log"
    )
    if ! read -r init <&"$report"; then
        cat "$state/boot.log" >&2
        die "the machine did not start"
    fi
    exec {report}<&-
    echo "$init" >"$state/init"
}

# namespaces_enter COMMAND…: replaces this process by COMMAND, as root in the machine.
namespaces_enter() {
    echo 0 >"$cgroup/machine/init.scope/cgroup.procs"
    exec nsenter --target "$init" --mount --uts --ipc --net --pid --cgroup -- "$@"
}

# namespaces_wait: until boot has finished.
namespaces_wait() {
    local tries=0 verdict
    until [ -S "/proc/$init/root/run/systemd/private" ] && [ -d "$cgroup/machine/init.scope" ]; do
        tries=$((tries + 1))
        if [ ! -d "/proc/$init" ] || [ "$tries" -gt 1200 ]; then
            cat "$state/boot.log" >&2
            die "the machine's systemd did not come up"
        fi
        sleep 0.05
    done
    verdict=$( (namespaces_enter timeout 300 systemctl is-system-running --wait) 2>&1) || true
    case $verdict in
        running) ;;
        degraded)
            say "the machine is degraded; failed units:"
            (namespaces_enter systemctl list-units --failed --plain --no-legend --no-pager) >&2 || true
            ;;
        *)
            (namespaces_enter journalctl --no-pager --boot --lines=60) >&2 || true
            die "the machine did not finish its boot (${verdict:-no answer})"
            ;;
    esac
}

# namespaces_run COMMAND…: runs it as a scope of the machine, with our stdin, stdout and
# stderr, on a terminal of the machine if we have one. Returns its status; sets
# $terminal to what stty should set afterwards.
namespaces_run() {
    local child status term=() command=("$@")
    if [ -t 0 ] && [ -t 1 ]; then
        # A killed `script` leaves the terminal raw.
        terminal=$(stty -g)
        term=(TERM="${TERM-linux}")
        command=(script --quiet --return --command "$(printf '%q ' "$@")" /dev/null)
    fi
    # A shell without job control starts this with SIGINT and SIGQUIT ignored.
    (
        exec {leash}>&-
        namespaces_enter env -i --default-signal=INT,QUIT "${term[@]}" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 \
            systemd-run --quiet --scope --collect --working-directory=/root -- "${command[@]}"
    ) <&0 &
    child=$!
    wait "$child" 2>/dev/null && status=0 || status=$?
    return "$status"
}
