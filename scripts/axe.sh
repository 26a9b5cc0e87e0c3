#!/usr/bin/env bash
# Checks the HTML report of the samples for accessibility with axe-core, in Chromium. Needs chromium-driver and npm; axe-core
# comes from npm into target/axe. Where one of them can't be had, says so and ends well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

command -v chromedriver >/dev/null || skip 'no chromedriver (apt-get install chromium-driver)'
folder=target/axe
axe=$folder/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ]; then
    command -v npm >/dev/null || skip 'no npm (apt-get install npm)'
    mkdir -p "$folder"
    npm install --silent --no-fund --no-audit --prefix "$folder" axe-core@4.10.3 ||
        skip 'axe-core can not be had from npm'
fi
CRASHSIFT_AXE=$(realpath "$axe") cargo test --workspace --locked --test main browser::the_page_is_accessible
