#!/usr/bin/env bash
#
# Builds the programs of crashkit/ with mingw, runs them under Wine until they crash, and compares what crashsift says about
# the dumps with crashkit/cases.tsv.
#
#   scripts/crashkit.sh build DIR                 compiles all programs for x64 and x86 into DIR/bin
#   scripts/crashkit.sh run DIR [NAME...]         runs them, all or those named, and writes DIR/dumps/{x64,x86}/NAME.{small,full}.dmp
#   scripts/crashkit.sh check DIR                 compares the topmost module of every dump with the table
#   scripts/crashkit.sh score PROGRAM DIR [-v] [NAME...]
#                                                 runs a crashsift over all dumps, prints how many suspects and
#                                                 mechanisms are right beside the baseline; -v prints every case
#   scripts/crashkit.sh scanned PROGRAM DIR       compares the searched stacks of small dumps with the unwound ones of full
#                                                 dumps of the same crash: the measure of probabilities of scanned frames
#   scripts/crashkit.sh all PROGRAM DIR           builds, runs, checks and scores
#
# DIR should be outside of the repository: a full dump has about 25 MB, all of them about 4 GB. The programs run one at a time, each
# for at most a minute; those whose dumps are newer than the program are left out.
#
# Needs: Debian 12 or later on amd64, Python 3.9 or later, and the packages g++-mingw-w64-x86-64, g++-mingw-w64-i686, wine and
# wine64. For x86 wine32, too; where it isn't installed, apt-get downloads it and the packages that it needs into DIR/wine32, where
# they are only unpacked (and patchelf, so that programs find their loader there). This needs no root and leaves the system alone.
#
# Exit code: 0 all went well, 1 a program did not crash as the table says, 2 called wrongly or not completed.

set -euo pipefail

cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
readonly kit=$PWD/crashkit

say() { printf '%s\n' "crashkit.sh: $*" >&2; }
die() { say "$@"; exit 2; }

# ---------------------------------------------------------------- build

compiler() { if [ "$1" = x64 ]; then echo x86_64-w64-mingw32; else echo i686-w64-mingw32; fi; }

# The cases of an architecture, by name.
cases() { awk -F'\t' -v arch="$1" 'NR > 1 && ($2 == "both" || $2 == arch) { print $1 }' "$kit/cases.tsv"; }

# build_case ARCH NAME FOLDER: compiles every module that the line `// build:` of the source lists, in its order.
build_case() {
    local arch=$1 folder=$3 source gcc line part kind name word flags runtime
    source=$(ls "$kit/src/$2".c*)
    line=$(sed -n 's|^// build: ||p' "$source")
    if [ "$folder/built" -nt "$source" ] && [ "$folder/built" -nt "$kit/src/kit.h" ]; then return; fi
    rm -rf "$folder"
    mkdir -p "$folder"
    while IFS= read -r part; do
        read -r kind name part <<<"${part/:/ }"
        gcc=$(compiler "$arch")-gcc
        # As optimised and stripped as what ships. Without sibling calls, so that every caller is on the stack.
        flags=(-O2 -s -Wall -fno-optimize-sibling-calls -fno-ident -I"$kit/src" -DPART_"$name")
        runtime=-static
        # Programs of 32 bits differ in keeping frame pointers: here the programs do and the libraries don't.
        if [ "$arch$kind" = x86exe ]; then flags+=(-fno-omit-frame-pointer); fi
        if [ "$kind" = dll ]; then flags+=(-shared); fi
        case $source in *.cpp) gcc=$(compiler "$arch")-g++ ;; esac
        local after=()
        for word in $part; do
            case $word in
                +shared) runtime=-shared-libgcc ;;
                +static) ;;
                -l*) after+=("$word") ;;
                -*) flags+=("$word") ;;
                *) after+=("$folder/$word.dll") ;;
            esac
        done
        case $source in *.cpp) flags+=("$runtime") ;; esac
        "$gcc" "${flags[@]}" "$source" -o "$folder/$name.$kind" "${after[@]}"
        if [ $runtime != -static ]; then
            for word in libstdc++-6.dll libgcc_s_seh-1.dll libgcc_s_dw2-1.dll; do
                word=$("$gcc" -print-file-name=$word)
                if [ -f "$word" ]; then cp "$word" "$folder"; fi
            done
        fi
    done <<<"${line//; /$'\n'}"
    touch "$folder/built"
}

build() {
    local arch name
    for arch in x64 x86; do
        command -v "$(compiler $arch)-g++" >/dev/null || die "no $(compiler $arch)-g++: apt-get install g++-mingw-w64"
        mkdir -p "$dir/bin/$arch"
        "$(compiler $arch)-gcc" -O2 -s -Wall "$kit/watch.c" -o "$dir/bin/$arch/watch.exe" -ldbghelp
        for name in $(cases $arch); do
            build_case $arch "$name" "$dir/bin/$arch/$name"
        done
    done
}

# ---------------------------------------------------------------- Wine

# Downloads wine32 and everything below it for i386, independently of the system's packages, and unpacks it.
unpack_wine32() {
    local w=$dir/wine32 root=$dir/wine32/root deb file
    [ ! -f "$w/ready" ] || return 0
    say "unpacking wine32 into $w"
    rm -rf "$w"
    mkdir -p "$w"/{state/lists/partial,cache/archives/partial,tool,root}
    : >"$w/state/status"
    cat >"$w/apt.conf" <<CONF
APT::Architecture "i386";
APT::Architectures { "i386"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$w/state";
Dir::State::status "$w/state/status";
Dir::Cache "$w/cache";
CONF
    # A list of an additional suite may fail to arrive: what is needed is in the main one.
    APT_CONFIG=$w/apt.conf apt-get -q update >&2 || true
    APT_CONFIG=$w/apt.conf apt-get -qy --download-only install wine32 >&2 || die "can't download wine32"
    for deb in "$w"/cache/archives/*.deb; do dpkg -x "$deb" "$root"; done
    (cd "$w/tool" && apt-get -q download patchelf >&2 && dpkg -x patchelf*.deb .) || die "can't download patchelf"
    for file in wine wineserver32; do
        "$w/tool/usr/bin/patchelf" --set-interpreter "$root/lib/i386-linux-gnu/ld-linux.so.2" "$root/usr/lib/wine/$file"
    done
    # What the package does when it is installed: marks mingw's zlib as a part of Wine.
    file=$root/usr/i686-w64-mingw32/lib/zlib1.dll
    {
        head -c 64 "$file"
        printf 'Wine builtin DLL'
        head -c 16 /dev/zero
        tail -c +97 "$file"
    } >"$root/usr/lib/i386-linux-gnu/wine/i386-windows/zlib1.dll"
    rm -rf "$w/cache" "$w/state"
    touch "$w/ready"
}

# Neither .NET nor a browser is needed; without this Wine looks for both.
export WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
unset DISPLAY
gently=(timeout 150 nice -n 5)

# wine_for ARCH COMMAND...: runs a command under Wine in a prefix of its own.
wine_for() {
    local root=$dir/wine32/root
    if [ "$1" = x64 ]; then
        WINEPREFIX=$prefixes/x64 WINEARCH=win64 "${gently[@]}" /usr/lib/wine/wine64 "${@:2}"
    elif [ -x /usr/lib/wine/wine ]; then
        WINEPREFIX=$prefixes/x86 WINEARCH=win32 "${gently[@]}" /usr/lib/wine/wine "${@:2}"
    else
        WINEPREFIX=$prefixes/x86 WINEARCH=win32 WINESERVER=$root/usr/lib/wine/wineserver32 \
            LD_LIBRARY_PATH=$root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu "${gently[@]}" "$root/usr/lib/wine/wine" "${@:2}"
    fi
}

prepare_wine() {
    [ -x /usr/lib/wine/wine64 ] || die "no Wine: apt-get install wine wine64"
    [ -x /usr/lib/wine/wine ] || unpack_wine32
    prefixes=$(mktemp -d)
    trap 'exec 9>&-; wine_for x64 wineboot --kill || true; wine_for x86 wineboot --kill || true; sleep 2; rm -rf "$prefixes"' EXIT
    # Wine's own processes end with the last program and take seconds to start: a waiting shell keeps them.
    mkfifo "$prefixes/wait"
    exec 9<>"$prefixes/wait"
    local arch
    for arch in x64 x86; do
        wine_for $arch wineboot --init >/dev/null 2>&1 || die "Wine can't make its prefix for $arch"
    done
}

# One program; its dumps are written anew when they are older than it.
run_case() {
    local arch=$1 name=$2 out=$dir/dumps/$1 said
    [ ! "$out/$name.full.dmp" -nt "$dir/bin/$arch/$name/built" ] || return 0
    rm -f "$out/$name".{small,full}.dmp
    said=$(cd "$dir/bin/$arch/$name" && wine_for "$arch" ../watch.exe "Z:$out/$name.small.dmp" "Z:$out/$name.full.dmp" \
        "$(ls -- *.exe)" 2>/dev/null </dev/null | tail -n 1) || status=1
    printf '%s %s: %s\n' "$arch" "$name" "${said//$'\r'/}"
}

run() {
    local arch name status=0
    prepare_wine
    for arch in x64 x86; do
        mkdir -p "$dir/dumps/$arch"
        (gently=(nice -n 5) && wine_for $arch cmd <&9 >/dev/null 2>&1) &
        for name in $(cases $arch); do
            if [ $# -eq 0 ] || [[ " $* " = *" $name "* ]]; then run_case $arch "$name"; fi
        done
        wine_for $arch wineboot --kill || true
    done
    return $status
}

# ----------------------------------------------------------------

dir=
case ${1:-} in
    build | run | check) dir=${2:-} ;;
    score | scanned | all) dir=${3:-} ;;
esac
if [ -z "$dir" ]; then
    sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
mkdir -p "$dir"
dir=$(realpath "$dir")
score() { python3 -B "$kit/score.py" "$@"; }
case $1 in
    build) build ;;
    run) run "${@:3}" ;;
    check) score check "$dir/dumps" ;;
    score) score score "$2" "$dir/dumps" "${@:4}" ;;
    scanned) score scanned "$2" "$dir/dumps" ;;
    all)
        build
        run
        score check "$dir/dumps"
        score score "$2" "$dir/dumps"
        ;;
esac
