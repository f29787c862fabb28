# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The drop-in of a machine in namespaces: the kernel policy would be in the host's kernel,
# for all its users. boot-namespaces writes it; a test that purges the package has to write
# it again before it installs the package again.

dropin=/etc/pam-sandbox/pam-sandbox.conf.d/50-machine.conf

# dropin_write [ROOT]
dropin_write() {
    mkdir -p "${1-}${dropin%/*}"
    echo 'host { kernel-policy = false }' >"${1-}$dropin"
}

# dropin_restore: in the machine; nothing where it has a kernel of its own.
dropin_restore() {
    ! grep -qzx container=pam-sandbox-test /proc/1/environ || dropin_write
}
