# For other scripts to source: a recent rustc of Debian with the sources of the standard library, to build for targets of which
# rustup's standard library is not at hand.
#
# Debian packages them together with all that the library depends on. They are downloaded with apt-get, which verifies them,
# and only unpacked into a cache folder, never installed, so that they leave the installed toolchain alone. Cargo then builds the
# standard library with -Zbuild-std.
#
# The sourcing script defines say and die, and is in the project's folder.
# shellcheck shell=bash

# The unpacked compiler (about 1.2 GB). Delete it to fetch a newer one.
compiler=$(realpath -m "${CRASHSIFT_COMPILER_CACHE:-target/debian-compiler}")
readonly compiler

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "needs root for: $*"
    fi
}

# install COMMAND PACKAGE...: installs the packages unless the command is there.
install() {
    local command=$1
    shift
    if command -v "$command" >/dev/null; then return; fi
    say "installing $* (apt-get)"
    as_root apt-get update -q >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@" >&2
}

# The packages that make a compiler: the names of two of them carry a version.
compiler_packages() {
    local std llvm
    std=$(apt-cache depends libstd-rust-web-dev | sed -n 's/^ *Depends: \(libstd-rust-web-[0-9.]*\)$/\1/p')
    [ -n "$std" ] || return 1
    llvm=$(apt-cache depends "$std" | sed -n 's/^ *Depends: \(libllvm[0-9]*\)$/\1/p')
    printf '%s\n' rustc-web libstd-rust-web-dev rust-web-src "$std" ${llvm:+"$llvm"}
}

# Downloads and unpacks the compiler, once.
unpack_compiler() {
    [ ! -f "$compiler/packages.txt" ] || return 0
    command -v apt-get >/dev/null || die "needs Debian: there is no apt-get here"
    local packages partial=$compiler.partial package
    rm -rf "$compiler" "$partial"
    mkdir -p "$partial/packages" "$partial/root"
    # A list that is out of date names packages that are gone.
    as_root apt-get update -q >&2
    packages=$(compiler_packages) || die "no package rustc-web: is the security suite of Debian in the list of sources?"
    say "downloading" "$(tr '\n' ' ' <<<"$packages")"
    # shellcheck disable=SC2086 # a list of names
    (cd "$partial/packages" && apt-get download -q -o APT::Sandbox::User=root $packages >&2)
    for package in "$partial"/packages/*.deb; do
        dpkg -x "$package" "$partial/root"
    done
    (cd "$partial/packages" && printf '%s\n' *.deb) >"$partial/packages.txt"
    mv "$partial/root" "$compiler"
    mv "$partial/packages.txt" "$compiler/packages.txt"
    rm -rf "$partial"
}

# with_compiler COMMAND...: runs a command with the unpacked compiler in place of the installed one.
with_compiler() {
    LD_LIBRARY_PATH=$compiler/usr/lib/x86_64-linux-gnu RUSTC=$compiler/usr/bin/rustc "$@"
}

check_compiler() {
    local has wants
    has=$(with_compiler "$compiler/usr/bin/rustc" --version | cut -d' ' -f2) || die "the unpacked compiler does not run"
    wants=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    [ "$(printf '%s\n' "$wants" "$has" | sort -V | head -n 1)" = "$wants" ] ||
        die "Debian's compiler is $has, the program needs $wants: is the security suite in the list of sources?"
    say "compiler $has"
}
