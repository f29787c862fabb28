# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Origins for a proxy to reach, in a network namespace of their own behind a pair of
# interfaces, on addresses that no list denies and nobody has here; and a proxy with its
# sandbox's policy in force. Sourced by tests that run in a machine with openssl. Their
# files are in $lab. Needs the harness.

lab=/run/egress-lab
egress=/src/tests/lib/egress

# The block of RFC 7450, globally reachable, and ours inside these namespaces alone.
origins_address=192.52.193.2
said_address=192.52.193.3

in_origins() { ip netns exec origins "$@"; }

origins_network() {
    ip netns add origins
    ip link add origins type veth peer name proxy netns origins
    ip address add 192.52.193.1/24 dev origins
    ip link set origins up
    in_origins ip link set lo up
    in_origins ip address add $origins_address/24 dev proxy
    in_origins ip address add $said_address/24 dev proxy
    in_origins ip link set proxy up
}

origins_authority() {
    mkdir -p $lab
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
        -keyout $lab/ca.key -out $lab/ca.pem -subj '/CN=Authority of the test'
    install -m 0644 $lab/ca.pem /usr/local/share/ca-certificates/test.crt
    update-ca-certificates
}

# origins_certificate NAME SUBJECT-ALTERNATIVE-NAMES: $lab/NAME.pem and .key.
origins_certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout "$lab/$1.key" -out "$lab/$1.csr" -subj "/CN=$1"
    openssl x509 -req -in "$lab/$1.csr" -CA $lab/ca.pem -CAkey $lab/ca.key -CAcreateserial \
        -days 20 -extfile <(echo "subjectAltName=$2") -out "$lab/$1.pem"
}

# origins_say: origin.py behind said.example, and other names that lead there.
origins_say() {
    origins_certificate said DNS:said.example,DNS:other.example
    echo "$said_address said.example other.example wrong.example" >>/etc/hosts
    echo '10.0.0.9 inside.example' >>/etc/hosts
    systemd-run --quiet --unit=said --property=NetworkNamespacePath=/run/netns/origins \
        $egress/origin.py $said_address $lab/said.pem $lab/said.key
}

# origins_names: names.py as the host's resolver. Before rules come into force, as the firewall lets
# the proxy's user reach the resolvers that there are then, and no other.
origins_names() {
    echo "nameserver $origins_address" >/etc/resolv.conf
    systemd-run --quiet --unit=names --property=NetworkNamespacePath=/run/netns/origins \
        $egress/names.py $origins_address $said_address
}

# proxy_start: the proxy of the sandbox agent, at $EGRESS_PROXY, trusted by $EGRESS_CA.
proxy_start() {
    EGRESS_PROXY=$(systemctl show --value --property=Listen pam-sandbox-egress@agent.socket)
    EGRESS_PROXY=${EGRESS_PROXY%% *}
    EGRESS_CA=/run/pam-sandbox/egress/agent/bundle.pem
    export EGRESS_PROXY EGRESS_CA
    # It would be started by the first connection, but this fails if it does.
    systemctl start pam-sandbox-egress@agent.service
}
