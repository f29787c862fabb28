# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A machine in QEMU, on Debian's kernel: how it is made and started; vm-watch.sh follows it.
# Needs common.sh, kernel.sh, package.sh; $state is the machine's state directory, and the
# janitor holds on to it.
#
# The root is one NVMe disk without partitions, so that the kernel finds it with no
# initrd; the job disk is a virtio one. A unit that is given as an SMBIOS credential, so
# that the image has no trace of it, runs the job and powers off.
#
# QEMU emulates the processors, which works everywhere; PAM_SANDBOX_ACCEL=kvm is faster where
# KVM works. They take turns in one thread: with a thread each, one may run a breakpoint of the
# kernel's text_poke_bp() (arch/x86/kernel/alternative.c) that the other has taken back, and the
# kernel dies of it. Programs of the kernel policy come and go in that way. It costs a fifth, and
# leaves a processor for another VM. They have no cmpxchg16b: interrupted right behind one, a
# kernel died of flags that were the bits of an address (QEMU 7.2, where helper_cmpxchg16b() in
# target/i386/tcg/mem_helper.c makes the flags anew of what they were last computed by).

# vm_image LOWER CONFIG: makes the disk if it is not there; sets $image.
vm_image() {
    local key
    kernel_need "${kernel_release:-$release}"
    key=$({
        printf '%s\n' "$1" "$kernel"
        cat "$tree/tests/lib/make-image"
        [ -z "$2" ] || cat "$2"
    } | digest)
    image=$cache/images/$key
    once "$image" "the disk of a VM" vm_image_make "$1" "$2" "$kernel/modules"
    touch "$image"
}

# vm_image_make LOWER CONFIG MODULES SCRATCH
vm_image_make() {
    cache_forget
    mkdir -p "$cache/mnt"
    unshare --mount "$tree/tests/lib/make-image" "$1" "$2" "$3" "$4/result" >"$image.log" 2>&1
}

# vm_job_disk PACKAGE KEEP COMMAND…: makes $state/job.img. With a terminal, COMMAND gets one
# of the same size.
vm_job_disk() {
    local job=$state/job package=$1 keep=$2
    shift 2
    mkdir -p "$job/src"
    tree_archive | tar --extract --file=- --directory="$job/src"
    install -m 0755 "$tree/tests/lib/vm-job" "$job/job"
    printf '%s\0' "$@" >"$job/command"
    [ "$keep" = no ] || : >"$job/keep"
    [ "$vm_terminal" = no ] || printf '%s %s\n' "$(stty size)" "${TERM-linux}" >"$job/terminal"
    [ -z "$package" ] || cp "$package" "$job/package.deb"
    chown -R root:root "$job"
    mke2fs -q -t ext4 -O ^has_journal,^metadata_csum -d "$job" "$state/job.img" \
        "$(($(du -s --block-size=1M "$job" | cut -f1) + 32))M" >"$state/mke2fs.log" 2>&1 ||
        die "cannot make the job disk: $(cat "$state/mke2fs.log")"
    remove_tree "$job"
}

vm_unit() {
    cat <<'UNIT'
[Unit]
Description=The command of tests/machine
After=multi-user.target
SuccessAction=poweroff-immediate
FailureAction=poweroff-immediate
[Service]
Type=exec
ExecStart=/bin/sh -euc 'modprobe virtio_blk; mkdir /run/pam-sandbox-test; mount -o ro /dev/vda /run/pam-sandbox-test; exec /run/pam-sandbox-test/job'
StandardOutput=journal+console
UNIT
}

# vm_kernel_arguments: units that find nothing to do in a VM without udev, network or login, and take
# seconds of an emulated processor, are masked; nor does it need what real ones are protected by.
vm_kernel_arguments() {
    local masks=(
        serial-getty@ttyS0.service serial-getty@hvc0.service getty@tty1.service kmod-static-nodes.service
        systemd-tmpfiles-setup-dev-early.service systemd-tmpfiles-setup-dev.service
        systemd-random-seed.service systemd-journal-flush.service
        systemd-journal-catalog-update.service systemd-pstore.service
        systemd-binfmt.service proc-sys-fs-binfmt_misc.automount
        dev-hugepages.mount sys-kernel-debug.mount sys-kernel-tracing.mount
        sys-kernel-config.mount sys-fs-fuse-connections.mount
        modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service
        modprobe@fuse.service netavark-dhcp-proxy.service netavark-dhcp-proxy.socket
        apt-daily.timer apt-daily-upgrade.timer man-db.timer dpkg-db-backup.timer
        fstrim.timer podman-auto-update.timer
    )
    echo root=/dev/nvme0n1 rw rootfstype=ext4 console=ttyS0 panic=-1 quiet mitigations=off \
        systemd.show_status=auto systemd.ssh_auto=no systemd.wants=pam-sandbox-test.service "${masks[@]/#/systemd.mask=}" "$kernel_arguments"
}

# vm_start: boots $image with $state/job.img; sets $qemu, its process, and $gone, which is at
# its end when that is. The FIFOs $vm_outputs in $state have COMMAND's output; its status goes
# into $state/status, and $state/alive grows while it runs.
vm_start() {
    local port held devices=()
    vm_held=()
    vm_outputs=(stdout stderr)
    if [ "$vm_terminal" = yes ]; then
        vm_outputs+=(terminal.out)
        mkfifo "$state/terminal.in"
        devices=(-chardev "pipe,id=terminal,path=$state/terminal" -device virtconsole,chardev=terminal)
    fi
    mkfifo "${vm_outputs[@]/#/$state/}"
    # Another run may drop it from the cache.
    ln "$image" "$state/root.img"
    for port in stdout stderr alive status; do
        devices+=(-chardev "file,id=$port,path=$state/$port"
            -device "virtserialport,chardev=$port,name=$port")
    done
    # QEMU would wait for somebody who reads.
    for port in "${vm_outputs[@]}"; do
        exec {held}<>"$state/$port"
        vm_held+=("$held")
    done
    exec {gone}< <(
        exec {leash}>&-
        vm_release
        echo 0 >"$cgroup/holder/cgroup.procs"
        # What is our stdout here stays open as long as QEMU lives.
        exec 3>&1
        # snapshot=on keeps what the machine writes in an unlinked file of TMPDIR.
        TMPDIR=$state exec setsid qemu-system-x86_64 -nodefaults -no-user-config -display none \
            -M pc -accel "${PAM_SANDBOX_ACCEL-tcg,thread=single,tb-size=512}" -cpu max,cx16=off -smp 2 -m 2048 -no-reboot "${icount[@]}" \
            -kernel "$kernel/vmlinuz" -append "$(vm_kernel_arguments)" \
            -drive "file=$state/root.img,if=none,id=root,format=raw,snapshot=on" -device nvme,drive=root,serial=root \
            -drive "file=$state/job.img,if=none,id=job,format=raw,readonly=on" -device virtio-blk-pci,drive=job \
            -chardev "socket,id=console,path=$state/console,server=on,wait=off,logfile=$state/console.log" \
            -serial chardev:console \
            -device virtio-serial-pci "${devices[@]}" -object rng-random,id=rng -device virtio-rng-pci,rng=rng \
            -smbios "type=11,value=io.systemd.credential.binary:systemd.extra-unit.pam-sandbox-test.service=$(vm_unit | base64 -w0)" \
            </dev/null >"$state/qemu.log" 2>&1
    )
    qemu=$!
}

# vm_release: lets go of what vm_start opened for QEMU's sake.
vm_release() {
    local held
    for held in "${vm_held[@]}"; do
        exec {held}>&-
    done
}
