#!/usr/bin/env bash
# Downloads the program for a pipeline and refuses any other file than the expected one.
#
#   get-crashsift.sh URL SHA256 FILE
#
# Exit code: 0 FILE is the program; others it is not there.
set -euo pipefail

url=${1:?an address} sum=${2:?its SHA-256} file=${3:?a file}
[[ $sum =~ ^[0-9a-fA-F]{64}$ ]] || { printf 'get-crashsift.sh: not a SHA-256: %s\n' "$sum" >&2; exit 2; }
mkdir -p "$(dirname -- "$file")"
curl --fail --silent --show-error --location --retry 3 --output "$file.part" -- "$url"
if ! printf '%s  %s\n' "${sum,,}" "$file.part" | sha256sum --check --status; then
    printf 'get-crashsift.sh: %s is not the expected file: %s\n' "$url" "$(sha256sum <"$file.part" | cut -d' ' -f1)" >&2
    rm -f -- "$file.part"
    exit 1
fi
chmod +x -- "$file.part"
mv -- "$file.part" "$file"
