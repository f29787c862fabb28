/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bpf/lock-sockets.h"

/* Both ways to write /run, as a socket is known by the name that was given to bind(2). */
#define IN_RUN(name, group_name)                                                                   \
    { "/run/" name, group_name },                                                                  \
    {                                                                                              \
        "/var/run/" name, group_name                                                               \
    }

const struct lock_socket lock_sockets[] = {
    IN_RUN("docker.sock", "docker"),
    IN_RUN("docker/", "docker"),
    IN_RUN("containerd/", "docker"),
    IN_RUN("buildkit/", "docker"),
    IN_RUN("podman/", "podman"),
    IN_RUN("crio/", "podman"),
    IN_RUN("incus/", "incus-admin"),
    { "/var/lib/incus/unix.socket", "incus-admin" },
    { "/var/lib/incus/unix.socket.user", "incus" },
    { "/var/lib/lxd/unix.socket", "lxd" },
    { "/var/snap/lxd/common/lxd/unix.socket", "lxd" },
    { "/var/snap/lxd/common/lxd-user/unix.socket", "lxd" },
    { "/var/snap/microk8s/", "microk8s" },
    IN_RUN("libvirt/", "libvirt"),
    { LOCK_SOCKET_CANARY, NULL },
};

const size_t n_lock_sockets = sizeof(lock_sockets) / sizeof(lock_sockets[0]);
