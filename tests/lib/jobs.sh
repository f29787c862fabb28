# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The jobs of tests/all: named functions that write a log and say how much passed. Needs
# common.sh.
#
# A job's function is called with its name and its arguments, with stdout and stderr on
# its log. It ends by `job_counts PASSED FAILED SKIPPED`; one that ends without is a
# failure, whatever it returned.

declare -A job_command=()
declare -A job_minutes=()
job_names=()
selected=()

# jobs_declare NAME COMMAND… $job_minutes says how long one may take, where that is known.
jobs_declare() {
    job_names+=("$1")
    job_command[$1]=$(printf '%q ' "${@:2}")
}

# jobs_select PATTERN…: sets $selected.
jobs_select() {
    local name pattern
    [ $# -gt 0 ] || set -- ''
    for name in "${job_names[@]}"; do
        for pattern; do
            if [[ $name == *"$pattern"* ]]; then
                selected+=("$name")
                break
            fi
        done
    done
}

# jobs_begin: the directory of logs.
jobs_begin() {
    need_tools pkill:procps
    cache_forget
    mkdir -p "$cache/logs"
    logs=$(mktemp -d "$cache/logs/$(date +%Y%m%d-%H%M%S)-XXXX")
    say "logs are in $logs"
    trap jobs_abort EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# jobs_abort: what still runs ends with us; each tests/machine cleans up for itself.
# shellcheck disable=SC2317  # called by the trap
jobs_abort() {
    local pids
    pids=$(jobs -p)
    # shellcheck disable=SC2086  # one word a process
    [ -z "$pids" ] || pkill -TERM -P "$(paste -sd, <<<"$pids")" || true
    wait
}

# job_kind NAME: `alone` uses both processors by itself; `vm` keeps one of them busy; `machine`
# waits as much as it works.
job_kind() {
    case $1 in
        system/*--vm* | test-bed) echo vm ;;
        system/*) echo machine ;;
        *) echo alone ;;
    esac
}

# jobs_queue KIND: those of the selected jobs, one a line, that may take longest first.
jobs_queue() {
    local name
    for name in "${selected[@]}"; do
        [ "$(job_kind "$name")" != "$1" ] || printf '%d %s\n' "${job_minutes[$name]-0}" "$name"
    done | sort -s -k1,1nr | cut -d' ' -f2-
}

# jobs_run: all that are selected, VMs before other machines as they take longest.
jobs_run() {
    local most=${PAM_SANDBOX_MACHINES-2} name ended
    local -A running=()
    while read -r name; do
        job_run "$name" &
        wait
    done < <(jobs_queue alone)
    while read -r name; do
        if [ "${#running[@]}" -ge "$most" ]; then
            wait -n -p ended "${!running[@]}" || true
            unset "running[$ended]"
        fi
        job_run "$name" &
        running[$!]=1
    done < <(jobs_queue vm && jobs_queue machine)
    wait
}

# job_run NAME: in a process of its own.
job_run() {
    local name=$1 log started=$SECONDS verdict passed=0 failed=0 skipped=0
    log=$logs/${name//\//+}
    log=${log// /_}
    (
        trap - EXIT INT TERM
        eval "${job_command[$name]}"
    ) >"$log" 2>&1 </dev/null || true
    if verdict=$(grep -a '^job counts: ' "$log" | tail -n 1) && [ -n "$verdict" ]; then
        read -r _ _ passed failed skipped <<<"$verdict"
    else
        failed=1
        echo "!! $name ended before it could say how much passed" >>"$log"
    fi
    printf '%d %d %d\n' "$passed" "$failed" "$skipped" >"$log.counts"
    # In one piece, as another job may print now.
    (
        flock 9
        printf '%-60s %4d passed %3d failed %3d skipped  %4d s\n' \
            "$name" "$passed" "$failed" "$skipped" $((SECONDS - started))
        [ "$failed" -eq 0 ] || job_failures "$log" | sed 's/^/    /'
    ) 9>"$logs/printing"
}

# job_failures LOG: the checks that failed, with what was said of them; the end of the log
# where something else went wrong.
job_failures() {
    awk '/^not ok/ { show = 1 } /^(ok|==|job counts:|!!)/ { show = 0 } show' "$1"
    if grep -aq '^!!' "$1" || ! grep -aq '^not ok' "$1"; then
        tail -n 60 "$1"
    fi
}

# job_counts PASSED FAILED [SKIPPED]
job_counts() { printf 'job counts: %d %d %d\n' "$1" "$2" "${3-0}"; }

# jobs_finish: prints the sum. Returns 0 if nothing failed.
jobs_finish() {
    local passed=0 failed=0 skipped=0 p f s counts
    for counts in "$logs"/*.counts; do
        read -r p f s <"$counts"
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        [ "$f" -eq 0 ] || say "failed: ${counts%.counts}"
    done
    [ "$skipped" -eq 0 ] || printf '%d skipped: ' "$skipped"
    [ "$skipped" -eq 0 ] || grep -ah '# skip ' "$logs"/* | sort -u | sed 's/^ok - //' | paste -sd';' || true
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
