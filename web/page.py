"""Makes one page of the files in this folder and the program: page.py PROGRAM.wasm PAGE.html

The page's policy allows its own script and style sheet by their hashes, and those of the HTML report, which it shows.
"""

import base64
import gzip
import hashlib
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "crates" / "report" / "src" / "formats" / "page" / "policy.rs"


def source(content: str) -> str:
    """How a policy names the content of a script or style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def main() -> None:
    program, page = map(Path, sys.argv[1:])
    read = lambda name: (HERE / name).read_text(encoding="utf-8")
    script, css = read("page.js"), read("page.css")
    of_report = dict(re.findall(r'const (\w+)_HASH: &str = "([^"]+)"', REPORT.read_text(encoding="utf-8")))
    manifest = tomllib.loads((HERE.parent / "Cargo.toml").read_text(encoding="utf-8"))
    packed = gzip.compress(program.read_bytes(), compresslevel=9, mtime=0)
    parts = {
        "SCRIPTS": f"{source(script)} 'sha256-{of_report['SCRIPT']}'",
        "STYLES": f"{source(css)} 'sha256-{of_report['STYLE']}'",
        "CSS": css,
        "VERSION": manifest["workspace"]["package"]["version"],
        "WORKER": read("worker.js"),
        "PROGRAM": base64.b64encode(packed).decode(),
        "SCRIPT": script,
    }
    page.write_text(re.sub(r"\{\{(\w+)\}\}", lambda part: parts[part[1]], read("page.html")), encoding="utf-8")


main()
