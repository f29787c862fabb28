# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a machine's root is stacked from: a cached root, the packages of --with, the
# package of this tree. Each is an overlay's upper directory, kept in the cache and
# named after all that went into it. Needs common.sh, enter.sh.

# layer_make LOWER ARGUMENT… SCRATCH: apt-get install, without the network if it can do
# without. The dpkg and apt of the root run, as they would on its owner's host.
layer_make() {
    local lower=$1 scratch=${!#} binds=()
    set -- "${@:2:$#-2}"
    [ -z "${package-}" ] || binds=("$package:/run/package.deb:ro")
    cache_forget
    mkdir "$scratch/result" "$scratch/work" || return
    # shellcheck disable=SC2016  # for the shell in the root
    in_root host "$lower" "$scratch/result" "${binds[@]}" -- sh -c '
        install="apt-get -qy -o Dpkg::Options::=--force-unsafe-io -o Acquire::Check-Valid-Until=false --no-install-recommends"
        $install --no-download install "$@" ||
            { apt-get -q -o Acquire::Check-Valid-Until=false update && $install install "$@"; } || exit
        apt-get clean
        find /var/lib/apt/lists -mindepth 1 -maxdepth 1 ! -name lock ! -name partial -exec rm -rf {} +
    ' sh "$@" >"$layer_log" 2>&1
}

# layer_add WHAT KEY ARGUMENT…: puts one layer more onto $lower.
layer_add() {
    local what=$1 key=$2 dir
    shift 2
    dir=$cache/layers/$(printf '%s\n' "$lower" "$key" "$*" | digest)
    layer_log=$dir.log
    once "$dir" "$what" layer_make "$lower" "$@"
    touch "$dir"
    lower=$dir:$lower
}
