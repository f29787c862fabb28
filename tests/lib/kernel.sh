# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The kernel of the VM tier: Debian's cloud kernel with its modules, taken out of the
# package and cached. Needs common.sh, roots.sh, enter.sh.

# kernel_make RELEASE SCRATCH
kernel_make() {
    local release=$1 scratch=$2
    root_need run "$release"
    mkdir "$scratch/download" "$scratch/result" || return
    # shellcheck disable=SC2016  # for the shell in the root
    in_root host "$root" tmpfs "$scratch:/scratch" -- sh -euc '
        apt-get -q -o Acquire::Check-Valid-Until=false update
        image=$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/^ *Depends: *\(linux-image-[0-9].*\)/\1/p")
        cd /scratch/download
        apt-get -q -o APT::Sandbox::User=root download "$image"
        dpkg-deb -x ./*.deb /scratch/download
        [ -e lib ] || ln -s usr/lib lib
        depmod -b /scratch/download -a "${image#linux-image-}"
    ' >"$kernel_log" 2>&1 || return
    mv "$scratch"/download/boot/vmlinuz-* "$scratch/result/vmlinuz" && mv "$scratch"/download/lib/modules "$scratch/result/modules"
}

# kernel_need RELEASE: sets $kernel to a directory with vmlinuz and modules/VERSION.
kernel_need() {
    kernel=$cache/kernels/$1-$(declare -f kernel_make | digest)
    kernel_log=$kernel.log
    once "$kernel" "a directory with Debian $1's kernel" kernel_make "$1"
}
