# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The kernels of the VM tier: Debian's cloud kernels with their modules, taken out of the
# packages and cached. Needs common.sh, roots.sh, enter.sh.

# kernel_sources RELEASE: where apt in a trixie root finds that release, whose keys it has.
kernel_sources() {
    echo "deb http://deb.debian.org/debian $1 main"
    case $1 in
        bookworm | trixie) echo "deb http://security.debian.org/debian-security $1-security main" ;;
    esac
}

# kernel_make RELEASE SCRATCH
kernel_make() {
    local release=$1 scratch=$2
    root_need run trixie
    mkdir "$scratch/download" "$scratch/result" || return
    kernel_sources "$release" >"$scratch/sources.list"
    # shellcheck disable=SC2016  # for the shell in the root
    in_root host "$root" tmpfs "$scratch:/scratch" -- sh -euc '
        rm -rf /etc/apt/sources.list.d/*
        cp /scratch/sources.list /etc/apt/sources.list
        apt-get -q -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Update::Error-Mode=any update
        image=$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/^ *Depends: *\(linux-image-[0-9].*\)/\1/p")
        # Later kernels are in packages that this one depends on.
        parts=$(apt-cache depends "$image" | sed -n "s/^ *Depends: *\(linux-\(base-[0-9]\|binary-\|modules-\).*\)/\1/p")
        cd /scratch/download
        # shellcheck disable=SC2086  # one word a package
        apt-get -q -o APT::Sandbox::User=root download "$image" $parts
        for deb in ./*.deb; do
            dpkg-deb -x "$deb" .
        done
        [ -e lib ] || ln -s usr/lib lib
        depmod -b /scratch/download -a "${image#linux-image-}"
    ' >"$kernel_log" 2>&1 || return
    mv "$scratch"/download/boot/vmlinuz-* "$scratch/result/vmlinuz" 2>/dev/null ||
        mv "$scratch"/download/lib/modules/*/vmlinuz "$scratch/result/vmlinuz" || return
    mv "$scratch"/download/lib/modules "$scratch/result/modules"
}

# kernel_need RELEASE: sets $kernel to a directory with vmlinuz and modules/VERSION.
kernel_need() {
    kernel=$cache/kernels/$1-$(declare -f kernel_make kernel_sources | digest)
    kernel_log=$kernel.log
    once "$kernel" "a directory with Debian $1's kernel" kernel_make "$1"
    touch "$kernel"
}
