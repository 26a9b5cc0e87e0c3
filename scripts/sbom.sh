#!/usr/bin/env bash
# Writes the bill of materials of the program (CycloneDX 1.6, JSON) to the file that is named, and validates it with CycloneDX's own
# library, which comes from PyPI into a folder below target/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:?usage: scripts/sbom.sh FILE}
cargo run --quiet --locked -p xtask -- sbom >"$out"

tools=$PWD/target/tools/cyclonedx
if [ ! -d "$tools" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.12.0'
fi
"$tools/bin/python" - "$out" <<'PYTHON'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

with open(sys.argv[1], encoding="utf-8") as file:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
if error:
    sys.exit(f"{sys.argv[1]}: {error}")
print(f"{sys.argv[1]}: valid CycloneDX 1.6")
PYTHON
