#!/usr/bin/env bash
#
# Makes the Debian package of a built program and tries it in a fresh root folder that has nothing but glibc.
#
#   scripts/deb.sh PROGRAM FOLDER    FOLDER/crashsift_VERSION_ARCHITECTURE.deb
#
# Needs: Debian on the program's architecture, and root for the fresh root folder.
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
if [ $# -ne 2 ]; then
    sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
deb=$(realpath "$(python3 scripts/release.py deb "$1" "$2")")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir -p "$root"/var/lib/dpkg/{info,updates} "$root/packages"
touch "$root/var/lib/dpkg/status"
(cd "$root/packages" && apt-get download -q -o APT::Sandbox::User=root libc6 libcrypt1 libgcc-s1 gcc-12-base >&2)
for package in "$root"/packages/*.deb; do dpkg -x "$package" "$root"; done
# Their scripts need a whole system, and are left out: dpkg does not know that they are there.
dpkg --root="$root" --force-depends --install "$deb" >&2
cp -r samples/delay-load-zlibwapi "$root/evidence"
chroot "$root" /usr/bin/crashsift --version
chroot "$root" /usr/bin/crashsift analyze /evidence | grep 'cause *missing-dependency'
dpkg --root="$root" --remove crashsift >&2
[ ! -e "$root/usr/bin/crashsift" ] || exit 1
printf '%s: %s bytes, works in a fresh root\n' "$deb" "$(stat -c %s "$deb")"
