# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Following a VM to its end, with the terminal that it was given. Needs common.sh, and what
# machine-vm.sh sets.
#
# In the VM, vm-job writes a sign of life every few seconds from the moment that COMMAND
# begins, whatever that does. An emulated processor shares ours with everything else, so the
# limits are generous.

vm_boot_seconds=600
vm_silent_seconds=${PAM_SANDBOX_SILENT_SECONDS-300}

# vm_finish KEEP: waits for the command, returns its status. With KEEP yes the machine lives on.
vm_finish() {
    local hung=
    vm_watch "$1"
    if [ ! -s "$state/status" ]; then
        vm_console
        [ -z "$hung" ] || die "the VM $hung and was killed; above is what its console and QEMU said"
        die "the VM ended before COMMAND did; above is what its console and QEMU said"
    fi
    [ "$1" = yes ] || wait "${pumps[@]}"
    return "$(cat "$state/status")"
}

# vm_watch KEEP: returns when QEMU has ended, or with KEEP yes when there is a status. Kills
# a VM that hangs; $hung says then what it did.
vm_watch() {
    local keep=$1 phase=boot silent=0 most=$vm_boot_seconds status
    : >"$state/heard"
    while :; do
        read -r -t 1 -u "$gone" && status=0 || status=$?
        [ "$status" -gt 128 ] || break
        [ "$keep" = no ] || [ ! -s "$state/status" ] || break
        # A wrapper may have QEMU wait for its turn.
        [ ! -e "$state/console" ] || silent=$((silent + 1))
        if [ "$phase" = boot ] && [ -s "$state/alive" ]; then
            phase=command silent=0 most=$vm_silent_seconds
            vm_progress
            vm_terminal_begin
            vm_outputs_begin
        elif [ "$state/alive" -nt "$state/heard" ]; then
            : >"$state/heard"
            silent=0
        fi
        [ "$phase" = command ] || vm_progress "$silent"
        if [ "$silent" -gt "$most" ]; then
            vm_progress
            [ "$phase" = boot ] && hung="did not boot within $most s" ||
                hung="gave no sign of life for $most s"
            kill -KILL "$qemu"
            break
        fi
    done
    vm_progress
    # It may have ended between two looks.
    [ "$phase" = command ] || [ ! -s "$state/alive" ] || vm_outputs_begin
    vm_terminal_end
    [ "$keep" = yes ] || wait "$qemu" 2>/dev/null || true
}

# vm_progress [SECONDS]: on a terminal, how long it has been booting; nothing takes it away.
vm_progress() {
    [ -t 2 ] || return 0
    if [ $# -gt 0 ]; then
        printf '\r%s: booting the VM, %d s ' "$me" "$1" >&2
    else
        printf '\r\e[K' >&2
    fi
}

# vm_console: what is known of a VM that went wrong.
vm_console() {
    { tail -n 60 "$state/console.log" | tr -cd '[:print:]\t\n' >&2; } || true
    cat "$state/qemu.log" >&2
}

# vm_outputs_begin: from here on the output comes to ours, with what there is already.
vm_outputs_begin() {
    local port
    pumps=()
    for port in "${vm_outputs[@]}"; do
        (
            exec {leash}>&- <"$state/$port"
            vm_release
            [ "$port" != stderr ] || exec >&2
            exec cat
        ) &
        pumps+=($!)
    done
    vm_release
}

# vm_interrupted: of a VM that is ended from outside, as by a time limit.
vm_interrupted() {
    if [ "$vm" = yes ] && [ -e "$state/console.log" ] && [ ! -s "$state/status" ]; then
        vm_console
        say "ended while the VM ran; above is what its console and QEMU said"
    fi
}

# vm_terminal_begin, vm_terminal_end: what is typed goes to the VM as it is. Before that, ^C
# ends this program.
vm_terminal_begin() {
    [ "$vm_terminal" = yes ] || return 0
    terminal=$(stty -g)
    # It would take the next key from whoever reads the terminal after us.
    setpriv --pdeathsig KILL cat <&0 >"$state/terminal.in" {leash}>&- &
    typing=$!
    stty raw -echo
}
vm_terminal_end() {
    [ -n "$typing" ] || return 0
    kill "$typing" 2>/dev/null || true
    stty "$terminal"
    typing='' terminal=
}
