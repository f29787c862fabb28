# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Building a root filesystem inside fresh mount, pid and uts namespaces. Runs in
# those namespaces only. Everything is mounted below one empty directory of the
# cache, in this mount namespace alone: when the last process in it is gone, so
# is everything that was mounted, whatever ended it.

# new_root_base LOWER UPPER: an overlay of LOWER (a colon list, topmost first).
# UPPER is `tmpfs`, or a directory that keeps the changes and has `work` beside it.
# Sets $new_root.
new_root_base() {
    local lower=$1 upper=$2
    new_root=$cache/mnt/root
    mount --make-rprivate /
    mount -t tmpfs -o mode=0755 tmpfs "$cache/mnt"
    mkdir "$new_root"
    if [ "$upper" = tmpfs ]; then
        mkdir "$cache/mnt/upper" "$cache/mnt/work"
        mount -t overlay -o "lowerdir=$lower,upperdir=$cache/mnt/upper,workdir=$cache/mnt/work" overlay "$new_root"
    else
        mount -t overlay -o "lowerdir=$lower,upperdir=$upper,workdir=${upper%/*}/work" overlay "$new_root" ||
            die "cannot put an overlay on $upper; PAM_SANDBOX_CACHE must name a directory on ext4, xfs or btrfs"
    fi
}

# new_root_dev: device nodes of our own. Never binds of the host's: a chmod in
# here would reach them.
new_root_dev() {
    local dev=$new_root/dev node
    mount -t tmpfs -o mode=0755,nosuid tmpfs "$dev"
    while read -r node mode major minor; do
        mknod -m "$mode" "$dev/$node" c "$major" "$minor"
    done <<'NODES'
null 666 1 3
zero 666 1 5
full 666 1 7
random 666 1 8
urandom 666 1 9
tty 666 5 0
NODES
    ln -s /proc/self/fd "$dev/fd"
    ln -s /proc/self/fd/0 "$dev/stdin"
    ln -s /proc/self/fd/1 "$dev/stdout"
    ln -s /proc/self/fd/2 "$dev/stderr"
    ln -s pts/ptmx "$dev/ptmx"
    mkdir "$dev/pts" "$dev/shm" "$dev/mqueue"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$dev/pts"
    mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$dev/shm"
    mount -t mqueue mqueue "$dev/mqueue"
}

# new_root_bind SOURCE TARGET [ro]: TARGET is a path in the new root, made if absent.
new_root_bind() {
    local target=$new_root$2
    if [ -d "$1" ]; then
        mkdir -p "$target"
    else
        mkdir -p "${target%/*}"
        : >>"$target"
    fi
    mount --bind "$1" "$target"
    [ "${3-}" != ro ] || mount -o remount,bind,ro "$target"
}

# new_root_identity CONFIG: what tells one machine from another. CONFIG, which may be
# empty, becomes the configuration of the package.
new_root_identity() {
    local etc=$new_root/etc
    echo machine >"$etc/hostname"
    printf '127.0.0.1 localhost machine\n::1 localhost\n' >"$etc/hosts"
    tr -d - </proc/sys/kernel/random/uuid >"$etc/machine-id"
    rm -f "$etc/resolv.conf"
    if [ -n "$1" ]; then
        mkdir -p "$etc/pam-sandbox"
        install -m 0644 "$1" "$etc/pam-sandbox/pam-sandbox.conf"
    fi
    # Nothing in /usr is newer than what the package manager did for it.
    touch "$etc/.updated" "$new_root/var/.updated"
}

# new_root_switch: makes the new root the root and lets go of the host's.
new_root_switch() {
    cd "$new_root"
    pivot_root . .
    umount -l .
    cd /
}
