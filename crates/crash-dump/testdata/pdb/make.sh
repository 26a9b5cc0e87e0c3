#!/usr/bin/env bash
# Makes the images and PDBs of shop.cpp for 64 and 32 bits, and what LLVM's symbolizer shows of each byte of their code.
# Needs clang-14, lld-14 and llvm-14 (Debian). The paths in the PDBs are those of FOLDER and C:\src.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=/tmp/crashsift-pdb
rm -rf "$folder" && mkdir -p "$folder" && cp "$here/shop.cpp" "$folder" && cd "$folder"
for bits in 64 32; do
    if [ $bits = 64 ]; then target=x86_64; else target=i686; fi
    clang-14 --target=$target-pc-windows-msvc -O1 -g -gcodeview -gno-column-info -Xclang -fdebug-compilation-dir=C:/src \
        -ffile-prefix-map="$folder"=C:/src -c shop.cpp -o shop$bits.obj
    lld-link-14 /nologo /dll /noentry /nodefaultlib /debug /export:entry /pdbaltpath:%_PDB% /Brepro \
        /out:shop$bits.dll /pdb:shop$bits.pdb shop$bits.obj
    for at in $(seq 0 $((0x9F))); do printf '0x%x\n' $((0x1000 + at)); done |
        llvm-symbolizer-14 --obj=shop$bits.dll --relative-address --print-address >shop$bits.txt
    cp shop$bits.dll shop$bits.pdb shop$bits.txt "$here"
done
