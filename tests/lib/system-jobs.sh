# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The system tests as jobs of tests/all: what their headers say becomes one job for each
# machine. Needs common.sh, jobs.sh.

# jobs_declare_system: a test alone, or all that share a machine together.
jobs_declare_system() {
    jobs_declare test-bed job_bed
    local file name line words release minutes machine
    local -A shared=()
    for file in "$tree"/tests/system/*; do
        [ -x "$file" ] || continue
        name=${file##*/}
        minutes=$(sed -n 's/^# minutes: //p' "$file")
        while read -r line; do
            # Releases come first, everything from the first option on is options.
            [[ $line =~ ^(([a-z]+ ?)+)(--.*)?$ ]] || die "tests/system/$name: cannot read \"# machine: $line\""
            read -ra words <<<"${BASH_REMATCH[1]}"
            for release in "${words[@]}"; do
                machine="$release${BASH_REMATCH[3]:+ ${BASH_REMATCH[3]}}"
                if grep -q '^# shares a machine$' "$file"; then
                    shared[$machine]+=" $name:${minutes:-10}"
                else
                    jobs_declare "system/$name ($machine)" job_system "$machine" "$name:${minutes:-10}"
                    job_minutes["system/$name ($machine)"]=${minutes:-10}
                fi
            done
        done < <(sed -n 's/^# machine: //p' "$file")
    done
    for machine in "${!shared[@]}"; do
        read -ra words <<<"${shared[$machine]}"
        jobs_declare "system/shared ($machine)" job_system "$machine" "${words[@]}"
    done
}

# job_system MACHINE NAME:MINUTES…: with a limit for the whole, should the machine hang.
job_system() {
    local machine output entry minutes=10 slower=1 entries=()
    # xargs knows quotes.
    mapfile -t machine < <(xargs -n 1 printf '%s\n' <<<"$1")
    # An emulated processor.
    [[ $1 != *--vm* ]] || slower=4
    shift
    for entry; do
        entries+=("${entry%:*}:$((${entry#*:} * slower))")
        minutes=$((minutes + ${entry#*:} * slower))
    done
    output=$(mktemp "$logs/output.XXXXXX")
    # `--config FILE` in a header is relative to the tree.
    cd "$tree"
    timeout --kill-after=30 "${minutes}m" \
        "$tree/tests/machine" --release "${machine[@]}" -- /src/tests/lib/run-tests "${entries[@]}" |
        tee "$output" || true
    harness_counts "$output" "${@%:*}"
    rm "$output"
}

# harness_counts OUTPUT NAME…: the sum of what these tests say they counted. One that died
# says nothing.
harness_counts() {
    local output=$1 name passed=0 failed=0 skipped=0 p f s
    shift
    for name; do
        if read -r p f s < <(sed -n "s/^== $name: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped\r*$/\1 \2 \3/p" "$output"); then
            passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        else
            echo "!! $name ended without a summary"
            failed=$((failed + 1))
        fi
    done
    job_counts "$passed" "$failed" "$skipped"
}

# job_bed: the test bed's own test, which is written like those that run in a machine.
job_bed() {
    local output
    output=$(mktemp "$logs/output.XXXXXX")
    timeout --kill-after=30 15m "$tree/tests/lib/bed-test" | tee "$output" || true
    harness_counts "$output" bed-test
    rm "$output"
}
