# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Real clients in a real session, which have nothing but its environment, and the origins
# that they are used to: nginx under their names. Sourced after origins.sh.

# client COMMAND…, client_says SCRIPT: in a session of the sandbox, in its home.
client() { run0 --user=agent --pipe -- "$@"; }
client_says() { client bash -euo pipefail -c "$1"; }

# web_site NAME… <LOCATIONS: a server of that name, or these, for plain HTTP and TLS.
web_site() {
    local names
    names=$(printf 'DNS:%s,' "$@")
    mkdir -p $lab/sites
    origins_certificate "$1" "${names%,}"
    echo "$said_address $*" >>/etc/hosts
    {
        printf 'server {\n'
        printf '    listen %s:80; listen %s:443 ssl;\n' $said_address $said_address
        printf '    server_name %s;\n' "$*"
        printf '    ssl_certificate %s/%s.pem; ssl_certificate_key %s/%s.key;\n' $lab "$1" $lab "$1"
        cat
        printf '}\n'
    } >"$lab/sites/$1.conf"
}

# web_start: nginx with these sites. What arrives there is in $lab/access.log.
web_start() {
    cat >$lab/nginx.conf <<CONF
daemon off;
error_log $lab/error.log;
pid $lab/nginx.pid;
worker_processes 1;
events { }
http {
    log_format arrived '\$scheme \$request_method \$host \$request_uri \$status \$content_length';
    access_log $lab/access.log arrived;
    client_max_body_size 0;
    types { application/json json; application/java-archive jar; }
    default_type application/octet-stream;
    include $lab/sites/*.conf;
}
CONF
    systemd-run --quiet --unit=web --property=NetworkNamespacePath=/run/netns/origins \
        --property=Type=exec nginx -c $lab/nginx.conf
    # It listens when its file of the process id is there.
    timeout 20 sh -c "until [ -s $lab/nginx.pid ]; do sleep 0.1; done"
}

# lab_start: all that the sites need; then rules come into force, and what they were is in
# force for the clients.
lab_start() {
    works "origins in a network of their own" origins_network
    works "an authority for them, trusted by the host" origins_authority
    works "names that lead to it" origins_names
}

# arrived REGEXP: a request reached the origin that its log has as such a line.
arrived() { grep -qE -- "$1" $lab/access.log; }

# logged JSON…: the proxy's log has a request with all of these members, written as there.
logged() {
    local lines member
    lines=$(sandboxctl log --json agent)
    tail -n 3 <<<"$lines"
    for member; do
        lines=$(grep -F -- "$member" <<<"$lines") || return
    done
}
