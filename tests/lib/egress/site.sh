# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One site for clients of HTTP: /text is "from the site", /large 64 MiB, /away leads to /text, and
# what is sent to /write is answered, as long as somebody lets it come; /socket and /events are those
# of a server at $lab/socket and $lab/events. Sourced after clients.sh.

site_start() {
    mkdir -p $lab/site
    printf 'from the site\n' >$lab/site/text
    head -c 64M /dev/urandom >$lab/site/large
    sha256sum <$lab/site/large >$lab/site/large.sum
    web_site site.example other.example <<CONF || return
    root $lab/site;
    default_type text/plain;
    if_modified_since before;
    location = /away { return 302 https://site.example/text; }
    location = /write { return 200 "written\n"; }
    location = /socket {
        proxy_pass http://unix:$lab/socket:;
        proxy_http_version 1.1;
        proxy_set_header Upgrade \$http_upgrade;
        proxy_set_header Connection upgrade;
    }
    location = /events { proxy_pass http://unix:$lab/events:; proxy_buffering off; }
CONF
    web_start
}

# site_client WHAT COMMAND…: what each of them must do. COMMAND is given "get" or "post" and a URL,
# and prints the status and the body of the answer.
site_client() {
    local what=$1 scheme
    shift
    for scheme in http https; do
        works "$what reads by $scheme" reads "$@" get "$scheme://site.example/text"
        works "$what may not write by $scheme, and is told why" is_told "$@" post "$scheme://site.example/write"
    done
}
reads() { answered '^200 from the site$' "$@"; }
is_told() { answered '^403 .*needed: write' "$@"; }
answered() {
    client "${@:2}" >$lab/answer
    cat $lab/answer
    grep -q -- "$1" $lab/answer
}

# events COMMAND…: it prints what it reads of the events, each before the next one is sent.
events() {
    client timeout 60 "$@" | {
        for event in one two three; do
            [ $event = one ] || echo >$lab/more
            until [ "${line:-}" = "data: $event" ]; do
                read -r line || exit
            done
        done
        cat >/dev/null
    }
}
