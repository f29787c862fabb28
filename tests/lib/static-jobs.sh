# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The jobs of tests/all that need no machine. All run in the build root. Needs
# common.sh, package.sh, jobs.sh.

jobs_declare_static() {
    jobs_declare unit/sanitized job_unit sanitized \
        -Db_sanitize=address,undefined -Db_lundef=false
    jobs_declare unit/plain job_unit plain
    jobs_declare fuzz job_fuzz
    jobs_declare style/format job_format
    jobs_declare style/scripts job_scripts
    jobs_declare package/lintian job_lintian
}

# in_build NAME COMMAND…: in the build root, with a build directory that is kept between
# runs under NAME.
in_build() {
    "$tree/tests/build" --dir "$cache/build/$(printf '%s' "$tree" | digest)-$1" -- "${@:2}"
}

# build_and_test NAME OPTIONS TARGETS SUITES: meson's options, a pattern for lines of
# `ninja -t targets` or nothing for all, and the arguments of meson test, each as one word.
# The counts are those of meson's own log.
build_and_test() {
    # shellcheck disable=SC2016  # for the shell in the root
    in_build "$1" sh -euc '
        if [ -d /build/meson-info ]; then
            meson setup --wipe $1 /build /src >/build/setup.log || { cat /build/setup.log; exit 1; }
        else
            meson setup $1 /build /src
        fi
        rm -f /build/meson-logs/testlog.json
        targets=
        [ -z "$2" ] || targets=$(ninja -C /build -t targets all | sed -n "s,\($2\): .*,\1,p")
        ninja -C /build -j 2 $targets
        meson test -C /build --no-rebuild --print-errorlogs --num-processes 2 $3 || true
    ' sh "$2" "$3" "$4" || return
    meson_counts "$cache/build/$(printf '%s' "$tree" | digest)-$1/meson-logs/testlog.json"
}

# meson_counts LOG: one line a test in meson's log.
meson_counts() {
    local passed skipped all
    [ -s "$1" ] || { echo "meson ran no test" && return 1; }
    passed=$(grep -c '"result": "OK"' "$1") || true
    skipped=$(grep -c '"result": "SKIP"' "$1") || true
    all=$(grep -c '"result": ' "$1") || true
    job_counts "$passed" $((all - passed - skipped)) "$skipped"
}

# job_unit NAME OPTION…: `plain` is as it is shipped; it has the tests, too, that a
# sanitizer would disturb.
job_unit() {
    build_and_test "unit-$1" "--buildtype=debugoptimized --werror -Dtests=enabled ${*:2}" '' '--no-suite fuzz'
}

# job_fuzz: every libFuzzer target for a bounded time, from the seeds in the tree.
job_fuzz() {
    build_and_test fuzz '--native-file=/src/tests/lib/clang.ini -Dtests=disabled -Dfuzz=true -Db_lundef=false' \
        '[a-z/-]*fuzz-[a-z-]*' \
        "--suite fuzz --timeout-multiplier 0 --test-args=-max_total_time=${PAM_SANDBOX_FUZZ_SECONDS-10}"
}

# tree_sources PATTERN: files of the tree, as they are called in the build root.
tree_sources() { tree_files | grep -zE "$1" | sort -z; }

job_format() {
    local list
    list=$(mktemp "$logs/files.XXXXXX")
    tree_sources '\.[ch]$' >"$list"
    if in_build style sh -c 'cd /src && xargs -0 clang-format --dry-run --Werror' <"$list"; then
        job_counts "$(tr -cd '\0' <"$list" | wc -c)" 0
    else
        job_counts 0 1
    fi
    rm "$list"
}

# job_scripts: everything whose first line names a shell.
job_scripts() {
    local list file first
    list=$(mktemp "$logs/files.XXXXXX")
    tree_files | while IFS= read -r -d '' file; do
        [ -f "$tree/$file" ] || continue
        first=
        IFS= read -r first <"$tree/$file" 2>/dev/null || true
        case $first in
            '#!'*/bash | '#!'*/sh | '#!'*'/bash '* | '#!'*'/sh '*) printf '%s\0' "$file" ;;
        esac
    done >"$list" 2>/dev/null
    # Tests are full of what these warn about: shell programs for a shell elsewhere (SC2016),
    # functions that are called by `works` (SC2317), ls to look at what ls shows (SC2012).
    if in_build style sh -c 'cd /src && xargs -0 shellcheck -x -P SCRIPTDIR -e SC2016,SC2317,SC2012' <"$list"; then
        job_counts "$(tr -cd '\0' <"$list" | wc -c)" 0
    else
        job_counts 0 1
    fi
    rm "$list"
}

job_lintian() {
    local deb
    deb=$("$tree/tests/build" --deb) || return
    if "$tree/tests/build" --dir "${deb%/*}" -- sh -c 'lintian --allow-root --fail-on error,warning /build/*.changes'; then
        job_counts 1 0
    else
        job_counts 0 1
    fi
}
