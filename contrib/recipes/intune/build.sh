#!/usr/bin/env bash
# Writes the two scripts of an Intune remediation: detect.ps1 and remediate.ps1, which contains the script of
# `crashsift collect-script`.
#
#   build.sh FOLDER [OPTION...]          the options are those of `crashsift collect-script`: --days 14, --program ledger.exe
#
# SHARE in the environment is the share to which the zip files are copied ('\\server\crash-evidence$'). CRASHSIFT is the program.
set -euo pipefail

folder=${1:?a folder}
shift
here=$(dirname "${BASH_SOURCE[0]}")
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CRASHSIFT:-crashsift}" collect-script -o "$work/collect.ps1" "$@"
tr -d '\r' <"$work/collect.ps1" | sed '1s/^\xef\xbb\xbf//' >"$work/collect"
# A line that begins with '@ would end the text that holds the script.
if grep -q "^'@" "$work/collect"; then
    printf 'build.sh: a line of the script begins with an apostrophe and @\n' >&2
    exit 1
fi
share=${SHARE:-}
share=${share//\'/\'\'}
while IFS= read -r line; do
    case $line in
        '#COLLECT-SCRIPT#') cat "$work/collect" ;;
        "\$Share = ''") printf "\$Share = '%s'\n" "$share" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$here/remediate.template.ps1" >"$folder/remediate.ps1"
cp -- "$here/detect.ps1" "$folder/detect.ps1"
# Intune takes scripts of up to 200 KB.
for script in "$folder/detect.ps1" "$folder/remediate.ps1"; do
    [ "$(wc -c <"$script")" -lt 200000 ] || { printf 'build.sh: %s is too large for Intune\n' "$script" >&2; exit 1; }
done
printf 'written: %s\n' "$folder/detect.ps1" "$folder/remediate.ps1"
