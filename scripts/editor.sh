#!/usr/bin/env bash
# Tries the JSON Schema of rule files with a real YAML language server, as editors use it: no built-in rule is underlined,
# mistakes are, and facts and causes are completed and explained. Needs Node.js; the server comes from npm into
# target/editor. Usage: scripts/editor.sh [PROGRAM] (target/debug/crashsift)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${1:-target/debug/crashsift}
folder=target/editor
mkdir -p "$folder"
[ -d "$folder/node_modules/yaml-language-server" ] ||
    npm install --silent --no-fund --no-audit --prefix "$folder" yaml-language-server@1.25.0
"$program" rules schema >"$folder/rules.schema.json"
node scripts/editor.mjs "$folder"
