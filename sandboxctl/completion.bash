# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion for sandboxctl(8). The tests hold it against the program's own table of verbs.

_sandboxctl_names() {
    local name list=
    [[ -r /run/pam-sandbox/passwd ]] || return
    while IFS=: read -r name _; do
        list+=" $name"
    done </run/pam-sandbox/passwd
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$1")
}

_sandboxctl() {
    local -A options=(
        [status]='--json --root='
        [apply]='--dry-run --timing --root='
        [show]='--in-force --root='
        [check]='--only= --list --json --tap --record= --timing'
        [exec]='--sandbox= --chdir= --setenv= --stdin= --timeout= --reap'
        [shell]='--sandbox= --chdir= --setenv='
        [denials]='--follow --since= --json'
        [reap]='--force'
        [egress]='--sandbox= --body --websocket --root='
        [log]='--follow --json --root='
    )
    local verbs='status apply show check exec shell denials reap egress log'
    local takes_names=' show check denials reap log '
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local list

    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$cur")
        return
    fi
    [[ -v options[$verb] ]] || return

    # "--root=/x" arrives as three words, as "=" breaks words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
        --timing)
            mapfile -t COMPREPLY < <(compgen -W "table markdown" -- "$cur")
            return
            ;;
        --record)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
            ;;
        --root)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            return
            ;;
        --stdin)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            return
            ;;
        --sandbox)
            _sandboxctl_names "$cur"
            return
            ;;
        --since)
            mapfile -t COMPREPLY < <(compgen -W "boot today yesterday" -- "$cur")
            return
            ;;
        --only)
            list=$(sandboxctl check --list 2>/dev/null | cut -d ' ' -f 1)
            mapfile -t COMPREPLY < <(compgen -W "$list" -- "$cur")
            return
            ;;
    esac

    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${options[$verb]} --help" -- "$cur")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    elif [[ $verb == egress ]]; then
        if [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " == *" rotate-ca "* ]]; then
            _sandboxctl_names "$cur"
        else
            mapfile -t COMPREPLY < <(compgen -W 'test rotate-ca' -- "$cur")
        fi
    elif [[ $takes_names == *" $verb "* ]]; then
        _sandboxctl_names "$cur"
    fi
}

complete -F _sandboxctl sandboxctl
