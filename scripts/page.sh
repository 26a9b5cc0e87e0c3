#!/usr/bin/env bash
#
# Builds the page that runs crashsift in a browser, target/page/crashsift.html, and tries it in Chromium.
#
#   scripts/page.sh build    makes the page: one file with the program as WebAssembly
#   scripts/page.sh test     tries the page that is there: its report on samples/ must be that of the program, byte by byte
#   scripts/page.sh all      both
#
# Needs: Debian 12 or later on amd64, cargo, Python 3, and root or sudo for apt-get; to test, chromium-driver.
#
# How it builds. With Debian's recent rustc (scripts/debian-compiler.sh), cargo builds the standard library and the program for
# wasm32-wasip1; wasm-ld (LLVM) and wasi-libc come from Debian, too, and are only unpacked. web/ has the rest of the page:
# the system interface for the program (worker.js), and the page around it.
#
# Environment:
#   PAGE_PROFILE              cargo's profile (default: page, which is dist for size)
#   CRASHSIFT_COMPILER_CACHE  unpacked compiler (default: target/debian-compiler; about 1.2 GB)
#   CARGO_TARGET_DIR          as cargo knows it (default: target)
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

readonly target=wasm32-wasip1
profile=${PAGE_PROFILE:-page}
out=$(realpath -m "${CARGO_TARGET_DIR:-target}")
page=$out/page/crashsift.html
readonly profile out page

say() { printf '%s\n' "page.sh: $*" >&2; }
die() {
    say "$@"
    exit 1
}

# shellcheck source=scripts/debian-compiler.sh
source scripts/debian-compiler.sh
tools=$compiler/wasm
readonly tools

# Downloads and unpacks the linker and the C library for WebAssembly, once, and puts the C library where the
# compiler looks for it.
unpack_tools() {
    [ ! -f "$tools/ready" ] || return 0
    local lld llvm own package
    lld=$(apt-cache pkgnames lld- | grep -xE 'lld-[0-9]+' | sort -V | tail -n 1)
    [ -n "$lld" ] || die "no package lld-*"
    llvm=libllvm${lld#lld-}
    rm -rf "$tools"
    mkdir -p "$tools/packages"
    say "downloading $lld $llvm wasi-libc"
    (cd "$tools/packages" && apt-get download -q -o APT::Sandbox::User=root "$lld" "$llvm" wasi-libc >&2)
    for package in "$tools"/packages/*.deb; do dpkg -x "$package" "$tools"; done
    rm -rf "$tools/packages"
    own=$compiler/usr/lib/rustlib/$target/lib/self-contained
    mkdir -p "$own"
    cp "$tools"/usr/lib/wasm32-wasi/{crt1-command.o,crt1-reactor.o,libc.a} "$own"
    ln -s "$(basename "$tools"/usr/bin/wasm-ld-*)" "$tools/usr/bin/wasm-ld"
    touch "$tools/ready"
}

with_tools() { LD_LIBRARY_PATH=$tools/usr/lib/x86_64-linux-gnu:$compiler/usr/lib/x86_64-linux-gnu "$@"; }

build_program() {
    command -v cargo >/dev/null || die "needs cargo"
    unpack_compiler
    check_compiler
    unpack_tools
    # A reader's panic costs its file and not the run, as in other programs, so they are caught. The stack is that of the
    # program's working thread elsewhere. Messages of panics need not name this computer's folders.
    local flags=(
        -Cpanic=unwind
        "-Clinker=$tools/usr/bin/wasm-ld"
        -Clink-arg=-zstack-size=8388608
        "--remap-path-prefix=$compiler/usr/lib/rustlib/src/rust=/rust"
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    )
    say "building the program for $target"
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; printf '%s' "${flags[*]}") RUSTC_BOOTSTRAP=1 \
        with_tools env RUSTC="$compiler/usr/bin/rustc" cargo build --locked --bin crashsift --target $target \
        --target-dir "$out" -Zbuild-std=std,panic_unwind --profile "$profile"
}

build() {
    build_program
    local program=$out/$target/$profile/crashsift.wasm
    [ -f "$program" ] || die "cargo made no $program"
    mkdir -p "$out/page"
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
