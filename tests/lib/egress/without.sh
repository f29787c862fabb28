# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The proxy without one of its checks: compiled in the machine from the tree, with one place of its
# source changed. Needs the harness, and these packages:
#
# gcc,libc6-dev,libssl-dev,libc-ares-dev,libllhttp-dev,libsystemd-dev,libconfuse-dev,libmd-dev

without_dir=/root/without
without_flags=(-std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O1 -w '-DPACKAGE_VERSION="0"'
    '-DPKGLIBEXECDIR="/usr/lib/pam-sandbox"' -I/src)

# without_prepare: all of it, as it is.
without_prepare() {
    local source
    mkdir -p $without_dir/objects
    for source in /src/proxy/*.c /src/conf/*.c; do
        case $source in */ca-main.c | */signer-main.c | */feed-main.c) continue ;; esac
        echo "$source"
    done | xargs -P 2 -I {} sh -c 'gcc "$@" -c {} -o '$without_dir'/objects/$(echo {} | tr / _).o' sh \
        "${without_flags[@]}"
}

# without_link: what is compiled becomes the host's proxy, and the one that runs is started anew.
without_link() {
    gcc $without_dir/objects/*.o -o $without_dir/egress -lconfuse -lmd -lllhttp -lcares -lssl \
        -lcrypto -lsystemd &&
        install -m 0755 $without_dir/egress /usr/lib/pam-sandbox/egress &&
        systemctl try-restart 'pam-sandbox-egress@*.service'
}

# without_check FILE FROM TO: FROM, which must stand once in the file of proxy/, becomes TO.
without_check() {
    local object=$without_dir/objects/_src_proxy_$1.o
    python3 - "/src/proxy/$1" "$2" "$3" >$without_dir/changed.c <<'PYTHON' || return 1
import sys
text = open(sys.argv[1]).read()
if text.count(sys.argv[2]) != 1:
    sys.exit(f"{sys.argv[1]} has {text.count(sys.argv[2])} times: {sys.argv[2]}")
sys.stdout.write(text.replace(sys.argv[2], sys.argv[3]))
PYTHON
    mv "$object" $without_dir/whole.o
    gcc "${without_flags[@]}" -c $without_dir/changed.c -o "$object" && without_link
}

# without_restored FILE
without_restored() {
    mv $without_dir/whole.o "$without_dir/objects/_src_proxy_$1.o" && without_link
}
