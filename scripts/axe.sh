#!/usr/bin/env bash
# Prints where axe-core is, by which a test in Chromium checks the HTML report of the samples for accessibility:
#
#     CRASHSIFT_AXE=$(scripts/axe.sh) cargo test --workspace --test main browser::
#
# It comes from npm into target/axe. Where it can't be had, prints nothing, and why on standard error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=target/axe
axe=$folder/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ]; then
    mkdir -p "$folder"
    { command -v npm && npm install --silent --no-fund --no-audit --prefix "$folder" axe-core@4.10.3; } >&2 || {
        printf 'no axe-core: its test is skipped (it needs npm and a registry)\n' >&2
        exit 0
    }
fi
realpath "$axe"
