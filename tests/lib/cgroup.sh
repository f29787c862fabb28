# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The cgroup of a machine. Needs common.sh; $state is the machine's state directory.

# cgroup2_mount: where the host has cgroup2; older layouts have it below /sys/fs/cgroup.
cgroup2_mount() { awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts; }

# cgroup_make: makes the machine's cgroup, sets $cgroup. Below it `holder` has what keeps
# the machine (a process that holds the namespaces, or QEMU) and `machine` is what a
# machine in namespaces sees as its root: no cgroup with children may have processes
# of its own.
cgroup_make() {
    local top
    top=$(cgroup2_mount)
    [ -n "$top" ] || die "there is no cgroup2 on this host; mount -t cgroup2 cgroup2 DIRECTORY"
    cgroup=$top/pam-sandbox-test-${state##*/}
    echo "$cgroup" >"$state/cgroup"
    mkdir "$cgroup" "$cgroup/holder" "$cgroup/machine"
}

# cgroup_controllers: gives the machine the controllers that there are, and names those
# that there are not.
cgroup_controllers() {
    local top=${cgroup%/*} controller lacking=()
    for controller in cpu memory pids; do
        if ! grep -qw "$controller" "$top/cgroup.controllers" ||
            ! { echo "+$controller" >"$top/cgroup.subtree_control"; } 2>/dev/null ||
            ! { echo "+$controller" >"$cgroup/cgroup.subtree_control"; } 2>/dev/null; then
            lacking+=("$controller")
        fi
    done
    [ "${#lacking[@]}" -eq 0 ] ||
        say "cgroup2 has no ${lacking[*]} controller here; limits on those can be tested with --vm"
}
