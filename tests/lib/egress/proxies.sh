# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Proxies to compare with, each a unit on core 1, and what they use. Sourced after origins.sh, with
# the proxy of the sandbox agent among them. start_PROXY starts one.

unit_of() { [ "$1" = egress ] && echo pam-sandbox-egress@agent.service || echo "bench-$1.service"; }

# Those that end TLS, and all.
ending="egress squid"
! command -v mitmdump >/dev/null || ending+=" mitmproxy"
proxies="$ending tinyproxy relay"

port_of() {
    case $1 in
        egress) systemctl show --value --property=Listen pam-sandbox-egress@agent.socket | sed 's/^[^:]*:\([0-9]*\).*/\1/' ;;
        squid) echo 4001 ;;
        mitmproxy) echo 4002 ;;
        tinyproxy) echo 4003 ;;
        relay) echo 4004 ;;
    esac
}

# run_proxy NAME COMMAND…: and waits until it listens.
run_proxy() {
    local name=$1
    shift
    systemd-run --quiet --unit="$(unit_of "$name")" --property=CPUAffinity=1 --property=LimitNOFILE=65536 "$@" || return
    timeout 60 sh -c "until ss -Hltn 'sport = :$(port_of "$name")' | grep -q .; do sleep 0.2; done"
}

start_egress() {
    local unit
    unit=$(unit_of egress)
    mkdir -p "/run/systemd/system/$unit.d"
    printf '[Service]\nCPUAffinity=1\n' >"/run/systemd/system/$unit.d/core.conf"
    systemctl daemon-reload
    systemctl restart "$unit"
}

start_squid() {
    mkdir -p $lab/squid
    cat >$lab/squid.conf <<CONF
http_port 127.0.0.1:$(port_of squid) ssl-bump generate-host-certificates=on dynamic_cert_mem_cache_size=16MB tls-cert=$lab/ca.pem tls-key=$lab/ca.key
sslcrtd_program /usr/lib/squid/security_file_certgen -s $lab/squid/certificates -M 16MB
sslcrtd_children 1
ssl_bump bump all
tls_outgoing_options cafile=/etc/ssl/certs/ca-certificates.crt
cache deny all
cache_mem 0
memory_pools off
workers 1
acl read method GET HEAD OPTIONS CONNECT
acl written url_regex ^https://site.example/write\$
http_access allow read
http_access allow written
http_access deny all
access_log stdio:$lab/squid/access.log
cache_log $lab/squid/cache.log
coredump_dir $lab/squid
pid_filename $lab/squid/pid
server_persistent_connections on
shutdown_lifetime 0
max_filedescriptors 65536
CONF
    /usr/lib/squid/security_file_certgen -c -s $lab/squid/certificates -M 16MB || return
    chown -R proxy: $lab/squid
    chmod 644 $lab/ca.key && chmod 755 $lab
    run_proxy squid --property=User=proxy squid -f $lab/squid.conf -N
}

start_mitmproxy() {
    mkdir -p $lab/mitmproxy
    cat $lab/ca.key $lab/ca.pem >$lab/mitmproxy/mitmproxy-ca.pem
    run_proxy mitmproxy --setenv=HOME=/root mitmdump -q --listen-host 127.0.0.1 --listen-port "$(port_of mitmproxy)" \
        --set confdir=$lab/mitmproxy --set stream_large_bodies=1m --set connection_strategy=lazy \
        --set ssl_verify_upstream_trusted_ca=/etc/ssl/certs/ca-certificates.crt
}

start_tinyproxy() {
    printf '%s\n' "Port $(port_of tinyproxy)" 'Listen 127.0.0.1' 'MaxClients 2000' 'Timeout 600' 'LogLevel Warning' \
        "LogFile \"$lab/tinyproxy.log\"" >$lab/tinyproxy.conf
    run_proxy tinyproxy tinyproxy -d -c $lab/tinyproxy.conf
}

start_relay() {
    run_proxy relay /run/egress-load relay "$(port_of relay)" $lab/site.example.pem $lab/site.example.key site.example $said_address
}

cgroup_of() { echo "/sys/fs/cgroup$(systemctl show --value --property=ControlGroup "$(unit_of "$1")")"; }

# cpu_of PROXY: microseconds of processor time of all its processes.
cpu_of() { if [ "$1" = none ]; then echo 0; else awk '$1 == "usage_usec" { print $2 }' "$(cgroup_of "$1")/cpu.stat"; fi; }

# memory_of PROXY: KiB that its processes have in memory, what they share divided among them.
memory_of() {
    local process
    while read -r process; do
        cat "/proc/$process/smaps_rollup"
    done <"$(cgroup_of "$1")/cgroup.procs" | awk '$1 == "Pss:" { sum += $2 } END { print sum }'
}
