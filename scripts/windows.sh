#!/usr/bin/env bash
#
# Builds crashsift.exe on Debian and tries it under Wine against the Linux program.
#
#   scripts/windows.sh build    makes target/x86_64-pc-windows-gnu/dist/crashsift.exe, as it ships
#   scripts/windows.sh test [PATH...]
#                               builds both programs, runs both, and compares their output: on samples/, and on
#                               further files and folders (with names that Windows allows)
#   scripts/windows.sh unit     runs the project's own tests as Windows programs
#   scripts/windows.sh all      all three
#
# Needs: Debian 12 or later on amd64, cargo, and root or sudo for the packages that apt-get installs
# (gcc-mingw-w64-x86-64-posix to build; wine and wine64 to test). On Windows itself none of this is
# needed: `cargo build --profile dist` is enough there.
#
# How it builds. With Debian's recent rustc (scripts/debian-compiler.sh), cargo builds the standard library for
# x86_64-pc-windows-gnu from its sources (-Zbuild-std), and mingw links.
#
# How it tests. Both programs get the same relative paths, with `/`, and have to print the same bytes; nothing is
# normalised. Checks with other paths (absolute ones, `\`) state what they make equal before they compare.
# Wine 8 lacks bcryptprimitives.dll; a stand-in with the one function that Rust needs (scripts/process-prng.c)
# is put into the Wine prefix, never beside the program, and never shipped.
#
# Environment:
#   CRASHSIFT_COMPILER_CACHE  unpacked compiler (default: target/debian-compiler; about 1.2 GB). Delete it to fetch
#                             a newer one.
#   CRASHSIFT_WINDOWS_CACHE   Wine prefix and test output (default: target/windows-toolchain)
#   CARGO_TARGET_DIR          as cargo knows it (default: target)
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
cd "$(dirname "$self")/.."
readonly self
readonly target=x86_64-pc-windows-gnu
readonly linker=x86_64-w64-mingw32-gcc-posix
root=$PWD
cache=$(realpath -m "${CRASHSIFT_WINDOWS_CACHE:-target/windows-toolchain}")
out=$(realpath -m "${CARGO_TARGET_DIR:-target}")
exe=$out/$target/dist/crashsift.exe
elf=$out/release/crashsift
readonly root cache out exe elf

say() { printf '%s\n' "windows.sh: $*" >&2; }
die() { say "$@"; exit 1; }

# shellcheck source=scripts/debian-compiler.sh
source scripts/debian-compiler.sh

# ---------------------------------------------------------------- build

# windows_cargo SUBCOMMAND ARGUMENT...: cargo, for Windows. The library's own lock file and sources are used as they are.
windows_cargo() {
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$linker \
        with_compiler cargo "$1" --locked --target $target --target-dir "$out" "${@:2}"
}

prepare_compiler() {
    command -v cargo >/dev/null || die "needs cargo"
    install "$linker" gcc-mingw-w64-x86-64-posix
    unpack_compiler
    check_compiler
}

build() {
    prepare_compiler
    # Messages of panics name source files; they need not name this computer's folders.
    local flags=(
        "--remap-path-prefix=$compiler/usr/lib/rustlib/src/rust=/rust"
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    )
    say "building $exe"
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; printf '%s' "${flags[*]}") \
        windows_cargo build -Zbuild-std=std,panic_unwind --profile dist
    [ -f "$exe" ] || die "cargo made no $exe"
    say "$(stat -c %s "$exe") bytes, sha256 $(sha256sum "$exe" | cut -d' ' -f1)"
}

# ---------------------------------------------------------------- Wine

wine=/usr/lib/wine/wine64
export WINEPREFIX=$cache/wine WINEDEBUG=-all
# Neither .NET nor a browser is needed; without this Wine looks for both.
export WINEDLLOVERRIDES=mscoree,mshtml=

prepare_wine() {
    install $wine wine wine64
    install "$linker" gcc-mingw-w64-x86-64-posix
    local system=$WINEPREFIX/drive_c/windows/system32
    mkdir -p "$cache"
    if [ ! -d "$system" ]; then
        say "making a Wine prefix"
        $wine wineboot --init 2>/dev/null || die "Wine can't make its prefix $WINEPREFIX"
    fi
    "$linker" -shared -s -Wall -Werror -o "$system/bcryptprimitives.dll" scripts/process-prng.c -ladvapi32
    say "$($wine --version)"
    trap '/usr/lib/wine/wineserver64 -k || true' EXIT
}

# The project's tests, without those in documentation: rustdoc belongs to the installed compiler.
unit() {
    prepare_compiler
    prepare_wine
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine \
        windows_cargo test -Zbuild-std=std,panic_unwind,test --lib --bins --tests --no-fail-fast
}

# ---------------------------------------------------------------- test

work=$cache/run # what the programs printed, kept for a look when something failed
here=$root      # where the programs are started
input=/dev/null # what they read from standard input
checks=0
failures=0

pass() { checks=$((checks + 1)); printf 'ok   %s\n' "$1"; }

# fail NAME [REASON...]
fail() {
    checks=$((checks + 1))
    failures=$((failures + 1))
    printf 'FAIL %s\n' "$1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | cut -c 1-300 | sed -n '1,20s/^/       /p'
}

# check NAME COMMAND...: passes when the command does.
check() { if "${@:2}"; then pass "$1"; else fail "$1" "failed: ${*:2}"; fi; }

# Each leaves standard output, standard error and the exit code in $work/{linux,windows}.{out,err,code}.
run_linux() { run linux "$elf" "$@"; }
run_windows() { run windows "$wine" "$exe" "$@"; }
run() {
    local who=$1 code=0
    shift
    (cd "$here" && exec "$@") <"$input" >"$work/$who.out" 2>"$work/$who.err" || code=$?
    printf '%s' "$code" >"$work/$who.code"
}

# compare NAME CODE [FILTER]: both must have ended with CODE and printed the same; the Windows program's output passes
# through FILTER.
compare() {
    local name=$1 code=$2 filter=${3:-cat} who wrong=()
    for who in linux windows; do
        [ "$(cat "$work/$who.code")" = "$code" ] ||
            wrong+=("$who: exit code $(cat "$work/$who.code"), not $code" "$(tail -n 3 "$work/$who.err")")
    done
    $filter <"$work/windows.out" >"$work/windows.filtered"
    cmp -s "$work/linux.out" "$work/windows.filtered" ||
        wrong+=("standard output differs (< Linux, > Windows):" "$(diff "$work/linux.out" "$work/windows.filtered" || true)")
    if [ ${#wrong[@]} -eq 0 ]; then pass "$name"; else fail "$name" "${wrong[@]}"; fi
}

# same NAME CODE ARGUMENT...: both programs, same arguments.
same() {
    run_linux "${@:3}"
    run_windows "${@:3}"
    compare "$1" "$2"
}

not_empty() { [ -s "$1" ]; }
no_carriage_returns() { ! grep -q $'\r' "$1"; }
every_line_ends_with_crlf() { ! grep -qv $'\r$' "$1"; }
begins_with_mark() { [ "$(head -c 3 "$1")" = $'\xef\xbb\xbf' ]; }
without_mark() { sed $'1s/^\xef\xbb\xbf//'; }
utf8() { iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 && [ "$(head -c 3 "$1")" != $'\xef\xbb\xbf' ]; }
same_bytes() { cmp -s "$1" "$2"; }
one_file_in() { [ "$(find "$1" -mindepth 1 | wc -l)" -eq 1 ]; }
without_drive() { sed 's|Z:/|/|g'; }

# The DLLs that the program imports: all of them must belong to Windows.
only_system_libraries() {
    local others
    others=$(x86_64-w64-mingw32-objdump -p "$exe" | sed -n 's/^.*DLL Name: //p' |
        grep -viE '^(kernel32|ntdll|msvcrt|ucrtbase|advapi32|user32|shell32|ole32|ws2_32|bcrypt|bcryptprimitives|userenv|psapi|dbghelp|api-ms-win-[a-z0-9-]*)\.dll$') || return 0
    say "not a part of Windows: $others"
    return 1
}

reports_are_equal() {
    local format
    for format in json jsonl text csv markdown html; do
        # A format that this version does not have yet is not a failure of its port.
        if "$elf" analyze --help | grep -qw "$format"; then
            run_linux analyze samples -f $format --no-progress
            run_windows analyze samples -f $format --no-progress
            # Spreadsheets expect CR LF (RFC 4180), on every system; Excel on Windows also a byte order mark.
            case $format in
                csv)
                    compare "analyze samples, $format" 0 without_mark
                    check "  it begins with a byte order mark" begins_with_mark "$work/windows.out"
                    check "  its rows end with CR LF" every_line_ends_with_crlf "$work/windows.out"
                    ;;
                *)
                    compare "analyze samples, $format" 0
                    check "  it is UTF-8 without a byte order mark" utf8 "$work/windows.out"
                    check "  its lines end with LF" no_carriage_returns "$work/windows.out"
                    ;;
            esac
            check "  it says something" not_empty "$work/windows.out"
        fi
    done
    run_windows analyze samples -f json --no-progress -j 1
    run_linux analyze samples -f json --no-progress
    compare "analyze samples, one thread on Windows, many on Linux" 0
}

paths_are_equal() {
    run_linux analyze "$root/samples" -f json --no-progress
    run_windows analyze "Z:${root//\//\\}\\samples" -f json --no-progress
    compare 'analyze Z:\...\samples (equal after Z:/ is made /)' 0 without_drive
    run_linux analyze "$root/samples" -f json --no-progress
    run_windows analyze "\\\\?\\Z:${root//\//\\}\\samples" -f json --no-progress
    compare 'analyze \\?\Z:\...\samples (equal after Z:/ is made /)' 0 without_drive
    run_linux analyze ./samples/ -f json --no-progress
    run_windows analyze .\\samples\\ -f json --no-progress
    compare 'analyze .\samples\ against ./samples/' 0
    run_linux analyze samples/* -f json --no-progress
    run_windows analyze 'samples\*' -f json --no-progress
    compare 'analyze samples\*, which no shell of Windows expands' 0
}

# Unusual names and contents: not ASCII, a path of more than 260 characters, an empty and a cut-off file.
unusual_files_are_equal() {
    local dump log deep part
    dump=$(find samples -name '*.dmp' -size -2048k | LC_ALL=C sort | head -n 1)
    log=$(find samples -name '*.evtx' -size -2048k | LC_ALL=C sort | head -n 1)
    if [ -z "$dump" ] || [ -z "$log" ]; then
        fail "unusual files" "samples/ holds no *.dmp or no *.evtx"
        return
    fi
    here=$work/unusual
    mkdir -p "$here/tree/Größe und 日本語 😀"
    cp "$dump" "$here/tree/Größe und 日本語 😀/Absturz – é.dmp"
    cp "$log" "$here/tree/APP.EVTX"
    : >"$here/tree/empty.dmp"
    head -c 3000 "$dump" >"$here/tree/cut-off.dmp"
    head -c 70000 "$log" >"$here/tree/cut-off.evtx"
    deep=tree
    for part in $(seq 10 29); do deep=$deep/a-folder-in-a-folder-$part; done
    mkdir -p "$here/$deep"
    cp "$dump" "$here/$deep/deep.dmp"
    same "unusual names and damaged files, json" 0 analyze tree -f json --no-progress
    same "unusual names and damaged files, text" 0 analyze tree -v --no-progress

    local list=$work/list.txt
    input=$list
    (cd "$here" && find tree -name '*.dmp' | LC_ALL=C sort) >"$list"
    same "a list of paths on standard input" 0 analyze - -f json --no-progress
    cp "$work/linux.out" "$work/listed.json"
    run_linux analyze - -f json --no-progress
    sed 's|/|\\|g; s|$|\r|' "$list" >"$list.windows"
    input=$list.windows
    run_windows analyze - -f json --no-progress
    compare "a list with \\ and CRLF" 0
    { printf '\xef\xbb\xbf'; cat "$list.windows"; } >"$list.marked"
    input=$list.marked
    run_windows analyze - -f json --no-progress
    compare "a list that begins with a byte order mark" 0
    { printf '\xff\xfe'; iconv -f UTF-8 -t UTF-16LE "$list.windows"; } >"$list.utf16"
    input=$list.utf16
    run_windows analyze - -f json --no-progress
    compare "a list in UTF-16, as PowerShell 5 writes it" 0
    input=/dev/null
    here=$root
}

exit_codes_are_equal() {
    same "a missing folder ends with 4" 4 analyze no-such-folder -f json --no-progress
    mkdir -p "$work/nothing"
    here=$work
    same "an empty folder ends with 4" 4 analyze nothing -f json --no-progress
    here=$root
    same "a bad flag ends with 2" 2 analyze samples --no-such-flag
    check "  standard error says why" not_empty "$work/windows.err"
    same "a bad format ends with 2" 2 analyze samples -f no-such-format
    same "--fail-on any ends with 1" 1 analyze samples --fail-on any -f json --no-progress
    same "an unknown --fail-on ends with 2" 2 analyze samples --fail-on no-such-cause
    same "missing rules end with 2" 2 analyze samples -r no-such-rules
    same "rules with mistakes end with 2" 2 rules check tests/broken_rules
}

output_to_a_file_works() {
    rm -rf "$work/output" && mkdir "$work/output"
    run_linux analyze samples -f json --no-progress
    cp "$work/linux.out" "$work/expected.json"
    run_windows analyze samples -f json --no-progress -o "Z:${work//\//\\}\\output\\report.json"
    check "-o with an absolute path ends with 0" [ "$(cat "$work/windows.code")" = 0 ]
    check "-o writes what standard output would get" same_bytes "$work/expected.json" "$work/output/report.json"
    check "-o prints nothing to standard output" same_bytes "$work/windows.out" /dev/null
    printf 'old' >"$work/output/report.json"
    run_windows analyze samples -f json --no-progress -o "Z:$work/output/report.json"
    check "-o replaces a file" same_bytes "$work/expected.json" "$work/output/report.json"
    check "-o leaves no other file behind" one_file_in "$work/output"
    run_windows analyze samples -f json --no-progress -o "Z:$work/no-such-folder/report.json"
    check "-o into a missing folder ends with 2" [ "$(cat "$work/windows.code")" = 2 ]
    run_windows analyze samples -f json --no-progress -o NUL
    check "-o NUL ends with 0" [ "$(cat "$work/windows.code")" = 0 ]
}

# Rules as an editor on Windows saves them: CRLF and a byte order mark.
rules_with_crlf_work() {
    local file
    rm -rf "$work/edited"
    cp -r rules "$work/edited"
    find "$work/edited" -name '*.yaml' -print0 | while IFS= read -r -d '' file; do
        { printf '\xef\xbb\xbf'; sed 's/$/\r/' "$file"; } >"$work/edited.yaml"
        mv "$work/edited.yaml" "$file"
    done
    here=$work
    same "rules check, files with CRLF and a byte order mark" 0 rules check edited
    same "rules test, files with CRLF and a byte order mark" 0 rules test edited
    here=$root
}

closed_pipe_is_success() {
    "$wine" "$exe" analyze samples -q --no-progress | :
    [ "${PIPESTATUS[0]}" -eq 0 ]
}

# Whether this version of the program has a command: one that it does not have yet is no failure of its port.
knows() { "$elf" "$1" --help >/dev/null 2>&1; }

other_commands_are_equal() {
    local dump
    for dump in samples/*/*.dmp; do
        if [ -s "$dump" ] && "$elf" inspect "$dump" >/dev/null 2>&1; then
            same "inspect $dump" 0 inspect "$dump"
        fi
    done
    check "a reader that has gone away is success" closed_pipe_is_success
    same "rules check" 0 rules check
    same "rules test" 0 rules test
    same "rules list" 0 rules list
    if knows explain; then same "explain" 0 explain -1073740791 3221226505 0xC0000409 0x116 "WinError 126"; fi
    if knows schema; then same "schema report" 0 schema report; fi
    same "--version" 0 --version
    same "completions powershell" 0 completions powershell
    input=$work/ticket.txt
    printf 'The program ended.\r\nProcess finished with exit code -1073740791 (0xC0000409)\r\n' >"$input"
    same "a ticket on standard input" 0 analyze --ticket - -f json --no-progress
    input=/dev/null
}

run_tests() {
    local path
    [ -d samples ] || die "there is no folder samples/ to analyze"
    build
    prepare_wine
    say "building $elf"
    cargo build --locked --release --target-dir "$out"
    rm -rf "$work"
    mkdir -p "$work"
    check "the program needs only libraries of Windows" only_system_libraries
    reports_are_equal
    paths_are_equal
    unusual_files_are_equal
    exit_codes_are_equal
    output_to_a_file_works
    rules_with_crlf_work
    other_commands_are_equal
    for path in "$@"; do
        run_linux analyze "$path" -v -f json --no-progress
        run_windows analyze "$path" -v -f json --no-progress
        compare "analyze $path" "$(cat "$work/linux.code")"
    done
    printf '%s checks, %s failed\n' "$checks" "$failures"
    [ "$failures" -eq 0 ] || die "the Windows program does not do as the Linux program; see $work"
}

# ----------------------------------------------------------------

case ${1:-} in
    build) build ;;
    test) run_tests "${@:2}" ;;
    unit) unit ;;
    all)
        run_tests
        unit
        ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$self" >&2
        exit 2
        ;;
esac
