#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# test-symbols.sh LIBRARY SYMBOLS: what the library needs is libc alone, and what it
# exports is what its version script lists.

set -eu
library=$1
expected=$(sed -n 's/^ *\([a-z_]*\);$/\1/p' "$2" | sort)
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
exported=$(nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort)

if [ "$needed" != "libc.so.6 " ]; then
    echo "$library needs: $needed" >&2
    exit 1
fi
if [ "$exported" != "$expected" ]; then
    printf '%s exports:\n%s\n' "$library" "$exported" >&2
    exit 1
fi
