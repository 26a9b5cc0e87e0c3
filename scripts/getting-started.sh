#!/usr/bin/env bash
#
# Follows the README from nothing to the first answer, as a newcomer would, with the files of a release that were made here: on
# Linux in a folder of its own without a compiler, and under Wine for Windows.
#
#   scripts/getting-started.sh linux               needs target/wheels/*.whl (scripts/wheel.sh build)
#   scripts/getting-started.sh windows PROGRAM     needs Wine (scripts/windows.sh installs it) and a crashsift.exe; and, for the
#                                                  archive's completions, a crashsift of this computer: $CRASHSIFT, or else
#                                                  target/debug/crashsift
#
# The commands are those of the section "Get it", at most five, in their order; only what this computer can't do otherwise is
# done otherwise: pip takes the wheel from target/wheels, and the archive is unpacked by Python, because Wine has no tar.
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
project=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    printf 'getting-started.sh: %s\n' "$*" >&2
    exit 1
}

# The indented commands of a paragraph of the section "Get it": those after the line that begins with a text.
commands() {
    awk -v begin="$1" '/^## / {section = $0} section == "## Get it" && index($0, begin) == 1 {found = 1}
        found && /^    / {print substr($0, 5); printed = 1} found && printed && !/^    / {exit}' README.md
}

# Checks how many commands there are.
at_most_five() {
    local count
    count=$(wc -l <"$work/commands")
    [ "$count" -gt 0 ] && [ "$count" -le 5 ] || die "$count commands in README.md"
    cat "$work/commands"
}

# Checks what the commands printed.
answered() {
    grep -q 'STATUS_STACK_BUFFER_OVERRUN' "$1" || die "explain gave no answer: $(cat "$1")"
    grep -q 'missing-dependency' "$1" || die "analyze gave no answer: $(cat "$1")"
    printf 'getting-started.sh: the first answer is there\n'
}

linux() {
    commands 'On Linux' >"$work/commands"
    at_most_five
    mkdir "$work/home"
    cp -r samples/delay-load-zlibwapi "$work/home/FOLDER"
    (cd "$work/home" && env -i HOME="$work/home" PATH="$(dirname "$(command -v python3)"):/usr/bin:/bin" PIP_NO_INDEX=1 \
        PIP_FIND_LINKS="$project/target/wheels" bash -euo pipefail "$work/commands") >"$work/printed"
    answered "$work/printed"
}

windows() {
    local line folder=$work/downloads
    commands 'On Windows' >"$work/commands"
    at_most_five
    local own=${CRASHSIFT:-$project/target/debug/crashsift}
    [ -x "$own" ] || die "$own is not there: build it, or name a crashsift of this computer with CRASHSIFT"
    CRASHSIFT=$own python3 scripts/release.py archive x86_64-pc-windows-msvc "$1" "$folder"
    export WINEPREFIX=${CRASHSIFT_WINDOWS_CACHE:-$project/target/windows-toolchain}/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
    [ -d "$WINEPREFIX" ] || die "no Wine prefix $WINEPREFIX: scripts/windows.sh test makes it"
    mkdir -p "$WINEPREFIX/drive_c/windows/Minidump"
    cp samples/delay-load-zlibwapi/*.dmp "$WINEPREFIX/drive_c/windows/Minidump"
    while IFS= read -r line; do
        case $line in
            'tar -xf '*) (cd "$folder" && python3 -m zipfile -e "${line#tar -xf }" .) ;;
            'cd '*) folder=$folder/${line#cd } ;;
            *) (cd "$folder" && /usr/lib/wine/wine64 cmd /c "$line") ;;
        esac
    done <"$work/commands" >"$work/printed"
    answered "$work/printed"
}

case ${1:-}${2:+ program} in
    linux) linux ;;
    'windows program') windows "$2" ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
