# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Images of nothing but a shell, some programs and what these need, as no registry is in reach, and
# a registry that has one. Sourced after clients.sh.

image_programs=(sh cat curl env find ls mv sha256sum sleep touch)

# image_tree DIRECTORY: what is the same in all.
image_tree() {
    local program library
    mkdir -p "$1/bin" "$1/etc" "$1/lib64" "$1/tmp"
    chmod 1777 "$1/tmp"
    for program in "${image_programs[@]}"; do cp "$(command -v "$program")" "$1/bin/"; done
    ldd "$1"/bin/* | grep -o '/[^ ]*\.so[^ ]*' | sort -u | while read -r library; do
        mkdir -p "$1$(dirname "$library")"
        cp --dereference --update "$library" "$1$library"
    done
}

# image_import NAME DIRECTORY: for the sandbox.
image_import() { tar --directory="$2" --create . | run0 --user=agent --pipe -- podman import --quiet - "$1"; }

# image_like DISTRIBUTION: bare, debian, alpine or fedora, by where that has its authorities; what
# stands there is the test's own authority, which signs for no site that the proxy answers for.
image_like() {
    local tree
    tree=$(mktemp -d)
    image_tree "$tree"
    case $1 in
        bare) ;;
        debian) install -D -m 0644 $lab/other.pem "$tree/etc/ssl/certs/ca-certificates.crt" ;;
        alpine)
            install -D -m 0644 $lab/other.pem "$tree/etc/ssl/certs/ca-certificates.crt"
            ln -s certs/ca-certificates.crt "$tree/etc/ssl/cert.pem"
            ;;
        fedora)
            install -D -m 0644 $lab/other.pem "$tree/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
            mkdir -p "$tree/etc/pki/tls/certs"
            ln -s /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem "$tree/etc/pki/tls/certs/ca-bundle.crt"
            ;;
    esac
    image_import "$1" "$tree"
}

# registry_site NAME: the sandbox's image of that name, at registry.example, as files (OCI
# distribution specification, "Pull"). Before web_start.
registry_site() {
    local layout=/var/lib/pam-sandbox/home/agent/layout digest
    client podman save --quiet --format oci-dir --output layout "$1" || return
    mkdir -p "$lab/registry/v2/$1/blobs" "$lab/registry/v2/$1/manifests"
    for blob in "$layout"/blobs/sha256/*; do
        cp "$blob" "$lab/registry/v2/$1/blobs/sha256:${blob##*/}"
    done
    digest=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["manifests"][0]["digest"])' "$layout/index.json")
    cp "$lab/registry/v2/$1/blobs/$digest" "$lab/registry/v2/$1/manifests/latest"
    cp "$lab/registry/v2/$1/blobs/$digest" "$lab/registry/v2/$1/manifests/$digest"
    web_site registry.example <<CONF
    root $lab/registry;
    location = /v2/ { return 200 "{}"; }
    location ~ /manifests/ { default_type application/vnd.oci.image.manifest.v1+json; }
CONF
}
