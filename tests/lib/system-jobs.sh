# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The system tests as jobs of tests/all: what their headers say becomes one job for each
# machine. Needs common.sh, jobs.sh.

# jobs_declare_system: a test alone, or all that share a machine together.
jobs_declare_system() {
    local file name line words word releases options release minutes machine
    local -A shared=()
    for file in "$tree"/tests/system/*; do
        [ -x "$file" ] || continue
        name=${file##*/}
        minutes=$(sed -n 's/^# minutes: //p' "$file")
        while read -r line; do
            read -ra words <<<"$line"
            releases=()
            options=
            for word in "${words[@]}"; do
                # Releases come first, everything from the first option on is options.
                if [ -z "$options" ] && [[ $word != --* ]]; then
                    releases+=("$word")
                else
                    options+=" $word"
                fi
            done
            for release in "${releases[@]}"; do
                machine="$release$options"
                if grep -q '^# shares a machine$' "$file"; then
                    shared[$machine]+=" $name:${minutes:-10}"
                else
                    jobs_declare "system/$name ($machine)" job_system "$machine" "$name:${minutes:-10}"
                fi
            done
        done < <(sed -n 's/^# machine: //p' "$file")
    done
    for machine in "${!shared[@]}"; do
        read -ra words <<<"${shared[$machine]}"
        jobs_declare "system/shared ($machine)" job_system "$machine" "${words[@]}"
    done
}

# job_system MACHINE NAME:MINUTES…
job_system() {
    local machine output passed=0 failed=0 skipped=0 entry p f s
    output=$(mktemp "$logs/output.XXXXXX")
    read -ra machine <<<"$1"
    shift
    # `--config FILE` in a header is relative to the tree.
    cd "$tree"
    "$tree/tests/machine" --release "${machine[@]}" -- /src/tests/lib/run-tests "$@" |
        tee "$output" || true
    for entry; do
        # A test that died has no summary.
        if read -r p f s < <(sed -n "s/^== ${entry%%:*}: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped\r*$/\1 \2 \3/p" \
            "$output"); then
            passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        else
            echo "not ok - ${entry%%:*} ended without a summary"
            failed=$((failed + 1))
        fi
    done
    rm "$output"
    job_counts "$passed" "$failed" "$skipped"
}
