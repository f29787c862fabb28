# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Debian roots by mmdebstrap, cached outside the tree. A root is named after its
# package list and its recipe, so that a change of either makes a new root; it is
# never written again once it is there. Needs common.sh.

roots_dir=$cache/roots

# root_packages KIND: the package list, without comments.
root_packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$tree/tests/roots/$1.list"; }

# root_path KIND RELEASE: the name that the root has or will have.
root_path() {
    printf '%s/%s-%s-%s\n' "$roots_dir" "$1" "$2" "$({ root_packages "$1" && declare -f root_make; } | digest)"
}

# root_make KIND RELEASE SCRATCH: runs mmdebstrap.
root_make() {
    local kind=$1 release=$2 scratch=$3 options=(--aptopt='APT::Install-Recommends "false"') log
    log=$(root_path "$kind" "$release").log
    # Testing and unstable: the indices that a mirror snapshot serves can be past
    # their date; their signatures are checked all the same.
    [ "$release" = trixie ] || options+=(--aptopt='Acquire::Check-Valid-Until "false"')
    # udev would make this group, on every Debian that has a kernel of its own.
    # shellcheck disable=SC2016  # mmdebstrap expands it
    options+=(--customize-hook='chroot "$1" groupadd --system --force kvm')
    mmdebstrap --quiet --mode=root --variant=minbase "${options[@]}" \
        --include="$(root_packages "$kind" | paste -sd,)" \
        "$release" "$scratch/result" >"$log" 2>&1
}

# root_need KIND RELEASE: makes the root if needed and sets $root to its path.
root_need() {
    root=$(root_path "$1" "$2")
    [ -e "$root" ] || need_tools mmdebstrap:mmdebstrap
    once "$root" "a Debian $2 root ($1, about a minute and 400 MB to 1.2 GB)" root_make "$1" "$2"
    touch "$root"
}
