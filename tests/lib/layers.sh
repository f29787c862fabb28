# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a machine's root is stacked from: a cached root, the packages of --with, the
# package of this tree. Each is an overlay's upper directory, kept in the cache and
# named after all that went into it. Needs common.sh, enter.sh.

# layer_install SCRATCH LOWER ARGUMENT…: apt-get install, without the network if it
# can do without. The dpkg and apt of the root run, as they would on its owner's host.
layer_install() {
    local scratch=$1 lower=$2 binds=() status
    shift 2
    [ -z "${package-}" ] || binds=("$package:/run/package.deb:ro")
    mkdir "$scratch/result" "$scratch/work"
    # shellcheck disable=SC2016  # for the shell in the root
    in_root host "$lower" "$scratch/result" "${binds[@]}" -- sh -c '
        install="apt-get -qy -o Dpkg::Options::=--force-unsafe-io -o Acquire::Check-Valid-Until=false --no-install-recommends"
        $install --no-download install "$@" ||
            { apt-get -q -o Acquire::Check-Valid-Until=false update && $install install "$@"; } || exit
        apt-get clean
        find /var/lib/apt/lists -mindepth 1 -maxdepth 1 ! -name lock ! -name partial -exec rm -rf {} +
    ' sh "$@" >"$layer_log" 2>&1 && status=0 || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 30 "$layer_log" >&2
        return 1
    fi
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

# layer_make LOWER ARGUMENT… SCRATCH: `once` gives the scratch directory last.
layer_make() {
    local scratch=${!#}
    layer_install "$scratch" "${@:1:$#-1}"
    local status=$?
    layers_forget
    return "$status"
}

# layers_forget: drops layers and packages that nobody used for three days.
layers_forget() {
    find "$cache/layers" "$cache/packages" -mindepth 1 -maxdepth 1 -mtime +3 \
        -exec rm -rf --one-file-system {} + 2>/dev/null || true
}
