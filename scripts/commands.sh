#!/usr/bin/env bash
# Parses every command line of the built-in rules and of the requests for evidence, and the scripts of the recipes, as PowerShell: with PowerShell itself
# (pwsh) where there is one, else with a grammar of it (tree-sitter). Needs Node.js; the packages come from npm into
# target/commands. That cmd takes the lines, too, and both mean the same, is tested by `cargo test -p rules command_line`.
# Usage: scripts/commands.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=target/commands
mkdir -p "$folder"
[ -d "$folder/node_modules/tree-sitter-powershell" ] ||
    npm install --silent --no-fund --no-audit --ignore-scripts --prefix "$folder" \
        yaml@2.9.1 web-tree-sitter@0.27.2 tree-sitter-powershell@0.26.4
node scripts/commands.mjs "$folder"
