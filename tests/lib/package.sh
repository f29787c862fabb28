# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The package of this tree, built in a build root and cached by what the tree
# holds. Needs common.sh, roots.sh and enter.sh.

# tree_files: what belongs to the tree, also before it is committed, NUL-separated.
tree_files() {
    git -c safe.directory="$tree" -C "$tree" ls-files -z --cached --others --exclude-standard --deduplicate
}

# tree_archive: the same as a tar on stdout.
tree_archive() {
    # A file that is in the index but no longer in the tree is no error.
    tree_files | tar --create --null --ignore-failed-read --directory="$tree" --files-from=- --file=- 2>/dev/null || true
}

# package_inputs: names, modes and contents of all that can change the package.
package_inputs() {
    cd "$tree"
    tree_files | grep -zv -e '^tests/' -e '^\.ci/' |
        while IFS= read -r -d '' file; do
            [ ! -e "$file" ] || printf '%s\0' "$file"
        done | sort -z | xargs -0 sh -c 'stat -c "%A %n" -- "$@"; sha256sum -- "$@"' sh
}

# package_make RELEASE SCRATCH: the unit tests have their own run.
package_make() {
    local release=$1 scratch=$2
    root_need build "$release"
    mkdir "$scratch/src" "$scratch/out" || return
    tree_archive | tar --extract --file=- --directory="$scratch/src" || return
    if [ "$(package_inputs | digest)" != "$package_id" ]; then
        echo "$tree was edited while it was copied; run this again" >"$package_log"
        return 1
    fi
    # shellcheck disable=SC2016  # for the shell in the root
    in_root none "$root" tmpfs "$scratch:/scratch" -- sh -c '
        cd /scratch/src && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b &&
        mv ../*.deb ../*.changes ../*.buildinfo /scratch/out/' >"$package_log" 2>&1 || return
    mv "$scratch/out" "$scratch/result"
}

# package_need RELEASE: builds the package if needed; sets $package to the .deb and
# $package_id to what names it.
package_need() {
    local dir
    [ -e "$tree/debian/control" ] || die "there is no debian/ in this tree to build a package from"
    need_tools git:git
    package_id=$(package_inputs | digest)
    dir=$cache/packages/$1-$package_id
    package_log=$dir.log
    once "$dir" "the package" package_make "$1"
    touch "$dir"
    package=$(find "$dir" -name 'pam-sandbox_*.deb' -print -quit)
    [ -n "$package" ] || die "the build in $dir made no pam-sandbox_*.deb"
}

# package_fits RELEASE: whether a root of that release has what $package depends on.
# What it said is kept, as it takes a second to ask.
package_fits() {
    local verdict=$package.$1.fits
    root_need run "$1"
    if [ ! -e "$verdict" ]; then
        if in_root none "$root" tmpfs "$package:/run/package.deb:ro" -- \
            dpkg --no-act --install /run/package.deb >/dev/null 2>&1; then
            echo yes >"$verdict"
        else
            echo no >"$verdict"
        fi
    fi
    [ "$(cat "$verdict")" = yes ]
}
