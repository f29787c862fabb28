#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# test-private-tmp.sh PRIVATE-TMP: runs the program in a mount namespace that has /run and /var/lib
# of its own. Skipped where none may be made.
# shellcheck disable=SC2317  # functions are called through check

set -eu

if [ "${inside-}" != yes ]; then
    unshare --mount true 2>/dev/null || exit 77
    inside=yes exec unshare --mount --propagation private "$0" "$@"
fi

program=$(realpath "$1")
mount -t tmpfs -o mode=0755 tmpfs /run
mount -t tmpfs -o mode=0755 tmpfs /var/lib
ram=/run/pam-sandbox/private/59000
disk=/var/lib/pam-sandbox/private/59000
failed=0

check() {
    what=$1
    shift
    if "$@"; then
        echo "ok - $what"
    else
        echo "not ok - $what"
        failed=1
    fi
}

refused() {
    if "$@" 2>/run/stderr; then
        return 1
    fi
}

is() { [ "$(stat -c '%a %u %g' "$2")" = "$1" ]; }
says() { grep -qF "$1" /run/stderr; }

reset() {
    umount -R /run/pam-sandbox/private/* 2>/dev/null || true
    rm -rf /run/pam-sandbox /var/lib/pam-sandbox
    mkdir -m 0755 /run/pam-sandbox /var/lib/pam-sandbox
    mkdir -m 0700 /run/pam-sandbox/private /var/lib/pam-sandbox/private
}

reset
umask 077
check "make" "$program" make 59000
check "the tmpfs is one" [ "$(stat -f -c %T $ram)" = tmpfs ]
check "its root is closed" is '700 0 0' $ram
check "tmp" is '1777 0 0' $ram/tmp
check "shm" is '1777 0 0' $ram/shm
check "the directory on disk is closed" is '700 0 0' $disk
check "var-tmp" is '1777 0 0' $disk/var-tmp
check "no set-id, no devices" [ "$(findmnt -n -o OPTIONS $ram | tr , '\n' | grep -cxE 'nosuid|nodev')" = 2 ]

# As an earlier session of a user with bad intentions would leave it.
mkdir /run/elsewhere
touch /run/elsewhere/file $ram/tmp/file
ln -s /run/elsewhere $disk/var-tmp/link
ln -s /run/elsewhere $disk/var-tmp/.hidden
# Deeper than a path can be long.
perl -e 'chdir shift; for (1 .. 5000) { mkdir "d", 0 and chdir "d" or die "mkdir: $!" }' $disk/var-tmp
check "make again, over what a crash left" "$program" make 59000
check "nothing of it is there" [ -z "$(find $ram $disk -mindepth 2)" ]
check "the tmpfs is mounted once" [ "$(grep -c " $ram " /proc/self/mounts)" = 1 ]
check "what links led to is" [ -e /run/elsewhere/file ]

ln -s /run/elsewhere $disk/var-tmp/link
# A process that still has a file there must not keep it from being unmounted.
exec 9>$ram/tmp/open
check "remove" "$program" remove 59000
exec 9>&-
check "nothing is mounted" [ "$(grep -c " $ram" /proc/self/mounts)" = 0 ]
check "nothing is there" [ ! -e $ram ]
check "nor there" [ ! -e $disk ]
check "what links led to still is" [ -e /run/elsewhere/file ]
check "remove what is not there" "$program" remove 59000

mkdir /var/lib/pam-sandbox/private/59001
touch /var/lib/pam-sandbox/private/59001/file
"$program" make 59000
"$program" remove 59000
check "another sandbox's stay" [ -e /var/lib/pam-sandbox/private/59001/file ]

reset
rmdir /run/pam-sandbox/private /var/lib/pam-sandbox/private
check "missing parents are made" "$program" make 59000
check "closed" is '700 0 0' /run/pam-sandbox/private
check "closed too" is '700 0 0' /var/lib/pam-sandbox/private

reset
chmod 0755 /var/lib/pam-sandbox/private
check "a parent that others may enter is refused" refused "$program" make 59000
check "with what to do" says 'chmod 0700 /var/lib/pam-sandbox/private'

reset
rmdir /run/pam-sandbox/private
ln -s /run/elsewhere /run/pam-sandbox/private
check "a parent that is a link is refused" refused "$program" make 59000
check "by name" says /run/pam-sandbox/private

reset
ln -s /run/elsewhere /run/pam-sandbox/private/59000
check "a link in place of the directory goes" "$program" make 59000
check "and is not followed" [ -e /run/elsewhere/file ]

for bad in 0 00 59000x -1 ../x '' 12345678901; do
    check "not a uid: '$bad'" refused "$program" make "$bad"
done
check "nor one too many" refused "$program" make 59000 59001
check "nor another verb" refused "$program" mend 59000

exit $failed
