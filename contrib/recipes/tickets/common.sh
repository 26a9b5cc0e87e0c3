# shellcheck shell=bash
# Functions that the ticket scripts share; they source this file. Needs bash, curl 7.76 or later, and jq 1.6 or later.
# The environment can set CRASHSIFT, the program (crashsift), and MAX_BYTES, the largest attachment that is downloaded (1 GiB).
#
# Names of attachments come from strangers: they are cleaned before they become file names, never evaluated, and always quoted.

set -euo pipefail
umask 077

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/evidence"

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 2
}

# need NAME...: ends unless these variables are set.
need() {
    local name
    for name; do
        [ -n "${!name:-}" ] || die "set $name"
    done
    for name in curl jq "${CRASHSIFT:-crashsift}"; do
        command -v "$name" >/dev/null || die "$name is not installed"
    done
}

# secure URL: ends unless passwords can be sent there. Only this computer may be asked without TLS.
secure() {
    case $1 in
        https://* | http://127.0.0.1:* | http://localhost:*) ;;
        *) die "not an https address: $1" ;;
    esac
}

# quoted TEXT: the text as a value of curl's configuration.
quoted() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf '"%s"' "$text"
}

# Lines of curl's configuration that identify the user. They reach curl by a pipe: other users of this computer can read the
# arguments of a program.
credentials=

# call METHOD URL [ARGUMENT...]: asks, and prints the answer. Any status of 400 and more ends the script.
call() {
    local method=$1 url=$2 again=()
    shift 2
    # What writes is not asked twice: a request that timed out may have been carried out.
    [ "$method" != GET ] || again=(--retry 3)
    curl --config <(printf '%s\n' "$credentials") --silent --show-error --fail-with-body --globoff --max-time 600 "${again[@]}" \
        --request "$method" --header 'Accept: application/json' "$@" -- "$url" ||
        die "refused: $method $url"
}

# download URL NUMBER NAME [ARGUMENT...]: puts an attachment into the evidence, in a folder of its own.
download() {
    local url=$1 number=$2 name
    name=$(jq -rn --arg name "$3" '$name | gsub("[/\\\\\\p{Cc}\\p{Cf}]+"; "_") | if test("^\\.*$") then "_" else .[-60:] end')
    shift 3
    mkdir -p "$work/evidence/$number"
    curl --silent --show-error --fail --globoff --location --retry 3 --max-time 3600 --max-filesize "${MAX_BYTES:-1073741824}" \
        --output "$work/evidence/$number/$name" "$@" -- "$url" || die "not downloaded: $url"
}

# Whether an attachment is a report that one of these scripts attached.
is_own() {
    case $1 in crashsift-report*) return 0 ;; *) return 1 ;; esac
}

# analyze: writes report.json, crashsift-report.md and note.txt for the evidence, with pseudonyms for the names of users and
# computers. Ends with 4 where nothing can be analyzed.
analyze() {
    local program=${CRASHSIFT:-crashsift} code=0
    # The paths of the report begin at the folder of the evidence and not with a name of this computer.
    (cd "$work/evidence" && "$program" analyze -q --redact -f json .) >"$work/report.json" || code=$?
    case $code in
        0) ;;
        4) printf '%s: the attachments hold nothing that can be analyzed\n' "${0##*/}" >&2 && exit 4 ;;
        *) die "crashsift ended with $code" ;;
    esac
    (cd "$work/evidence" && "$program" analyze -q --redact -f markdown .) >"$work/crashsift-report.md"
    jq -r -f "$(dirname "${BASH_SOURCE[0]}")/note.jq" "$work/report.json" >"$work/note.txt"
}
