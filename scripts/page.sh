#!/usr/bin/env bash
#
# Builds the page that runs crashsift in a browser, target/crashsift.html, and tries it in Chromium.
#
#   scripts/page.sh build    makes the page: one file with the program as WebAssembly
#   scripts/page.sh test     tries the page that is there: its reports on samples/ must be those of the program, byte by byte
#   scripts/page.sh all      both
#
# Needs: rustup, which adds the sources of the standard library and the C library for WebAssembly to its toolchain, and Python
# 3.11 or later; to test, chromium and chromedriver.
#
# How it builds. Cargo builds the standard library, so that a panic can be caught, and the program for wasm32-wasip1. web/ has the
# rest of the page: the system interface for the program (worker.js), and the page around it.
#
# Environment:
#   PAGE_PROFILE      cargo's profile (default: page, which is dist for size)
#   CRASHSIFT_CORPUS  a folder of other evidence, which the test analyzes, too
#   CARGO_TARGET_DIR  as cargo knows it (default: target)
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

readonly target=wasm32-wasip1
profile=${PAGE_PROFILE:-page}
out=$(realpath -m "${CARGO_TARGET_DIR:-target}")
page=$out/crashsift.html
readonly profile out page

say() { printf '%s\n' "page.sh: $*" >&2; }
die() {
    say "$@"
    exit 1
}

build() {
    command -v rustup >/dev/null || die "needs rustup"
    rustup component add rust-src
    rustup target add $target
    # A reader's panic costs its file and not the run, as in other programs. The stack is that of the program's working thread
    # elsewhere. Messages of panics need not name this computer's folders.
    local flags program=$out/$target/$profile/crashsift.wasm
    flags=(
        -Cpanic=unwind
        -Clink-arg=-zstack-size=8388608
        "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rust"
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    )
    say "building the program for $target"
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; printf '%s' "${flags[*]}") RUSTC_BOOTSTRAP=1 \
        cargo build --locked --bin crashsift --target $target --target-dir "$out" -Zbuild-std=std,panic_unwind --profile "$profile"
    [ -f "$program" ] || die "cargo made no $program"
    python3 web/page.py "$program" "$page"
    say "$page: $(stat -c %s "$page") bytes; the program in it has $(stat -c %s "$program") bytes"
}

run_tests() {
    [ -f "$page" ] || die "there is no $page: scripts/page.sh build"
    command -v chromedriver >/dev/null || die "no chromedriver (apt-get install chromium-driver)"
    CRASHSIFT_PAGE=$page cargo test --locked --test main browser::program_page -- --nocapture
}

case ${1:-} in
    build) build ;;
    test) run_tests ;;
    all)
        build
        run_tests
        ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
