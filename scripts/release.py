#!/usr/bin/env python3
"""Makes the files of a release of built programs.

  scripts/release.py archive TARGET PROGRAM FOLDER   FOLDER/crashsift-VERSION-TARGET.tar.gz, or .zip for Windows: the program,
                                                     its licences, its man page and completions
  scripts/release.py deb PROGRAM FOLDER              FOLDER/crashsift_VERSION_ARCHITECTURE.deb (needs dpkg-deb)
  scripts/release.py checksums FOLDER                FOLDER/SHA256SUMS, of all files there
  scripts/release.py manifests FOLDER ADDRESS        FOLDER/scoop and FOLDER/winget, of the archives for Windows there; ADDRESS
                                                     is that of the repository

Man page and completions are those that PROGRAM prints. Where it does not run here, CRASHSIFT names a program that does, of the
same version. Equal programs give equal files. Needs Python 3.11 or later.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((PROJECT / "Cargo.toml").read_text(encoding="utf-8"))
VERSION: str = MANIFEST["workspace"]["package"]["version"]
LICENSE: str = MANIFEST["workspace"]["package"]["license"]
DESCRIPTION: str = MANIFEST["package"]["description"]
PUBLISHER = "crashsift"
# Files of archives have this time: the earliest that a .zip file can have.
TIME = (1980, 1, 1, 0, 0, 0)
UNIX_TIME = 315532800

# The completions: what the program calls the shell, the file's name, and its folder in a Debian package.
COMPLETIONS = [
    ("bash", "crashsift.bash", "usr/share/bash-completion/completions/crashsift"),
    ("zsh", "_crashsift", "usr/share/zsh/vendor-completions/_crashsift"),
    ("fish", "crashsift.fish", "usr/share/fish/vendor_completions.d/crashsift.fish"),
    ("powershell", "_crashsift.ps1", None),
    ("elvish", "crashsift.elv", None),
]


def printed(program: Path, *arguments: str) -> bytes:
    """What the program prints."""
    command = os.environ.get("CRASHSIFT", str(program.resolve()))
    out = subprocess.run([command, *arguments], check=True, capture_output=True).stdout
    if arguments != ("--version",) and printed(program, "--version").split() != [b"crashsift", VERSION.encode()]:
        raise SystemExit(f"{command} is not crashsift {VERSION}")
    return out


def archive(target: str, program: Path, folder: Path) -> Path:
    """The archive for a target."""
    name = f"crashsift-{VERSION}-{target}"
    is_windows = "windows" in target
    files = {f"crashsift{'.exe' if is_windows else ''}": program.read_bytes(), "man/crashsift.1": printed(program, "man")}
    files |= {f"completions/{file}": printed(program, "completions", shell) for shell, file, _ in COMPLETIONS}
    files |= {file: (PROJECT / file).read_bytes() for file in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT")}
    files |= beside()
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{name}.{'zip' if is_windows else 'tar.gz'}"
    if is_windows:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path, content in sorted(files.items()):
                zipped.writestr(zipfile.ZipInfo(f"{name}/{path}", TIME), content, zipfile.ZIP_DEFLATED)
        return made
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, content in sorted(files.items()):
            about = tarfile.TarInfo(f"{name}/{path}")
            about.size, about.mtime, about.mode = len(content), UNIX_TIME, mode(path)
            tar.addfile(about, io.BytesIO(content))
    made.write_bytes(gzip.compress(tape.getvalue(), 9, mtime=0))
    return made


def deb(program: Path, folder: Path) -> Path:
    """The Debian package."""
    content = program.read_bytes()
    machine = int.from_bytes(content[18:20], "little")
    architecture = {62: "amd64", 183: "arm64"}.get(machine)
    if content[:4] != b"\x7fELF" or architecture is None:
        raise SystemExit(f"{program} is no program for Linux on x86-64 or ARM64")
    # The newest version of glibc whose functions the program names.
    wanted = [tuple(map(int, version)) for version in re.findall(rb"GLIBC_(\d+)\.(\d+)", content)]
    depends = f"libc6 (>= {max(wanted)[0]}.{max(wanted)[1]}), libgcc-s1" if wanted else ""
    files = {"usr/bin/crashsift": content, "usr/share/man/man1/crashsift.1.gz": zipped(printed(program, "man"))}
    files |= {path: printed(program, "completions", shell) for shell, _, path in COMPLETIONS if path}
    changes = (PROJECT / "CHANGELOG.md").read_bytes()
    files |= {
        "usr/share/doc/crashsift/copyright": copyright_file().encode(),
        "usr/share/doc/crashsift/changelog.gz": zipped(changes),
        "usr/share/doc/crashsift/README.md.gz": zipped((PROJECT / "README.md").read_bytes()),
    }
    files |= {f"usr/share/doc/crashsift/{path}": content for path, content in beside().items()}
    size = sum(len(content) + 1023 for content in files.values()) // 1024
    control = {
        "Package": "crashsift",
        "Version": VERSION,
        "Architecture": architecture,
        "Maintainer": f"{PUBLISHER} <crashsift@localhost>",
        "Installed-Size": str(size),
        "Depends": depends,
        "Section": "utils",
        "Priority": "optional",
        "Description": f"{DESCRIPTION.split(':')[0]}\n {DESCRIPTION.split(': ')[1]}.",
    }
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"crashsift_{VERSION}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "root"
        text = "".join(f"{key}: {value}\n" for key, value in control.items() if value)
        for path, content in {**files, "DEBIAN/control": text.encode()}.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(mode(path))
        for place in root.rglob("*"):
            if place.is_dir():
                place.chmod(0o755)
        root.chmod(0o755)
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(UNIX_TIME)}
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(made)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return made


def beside() -> dict[str, bytes]:
    """What people copy from and what the README leads to: recipes, units, pages, the skill for assistants."""
    folders = ("contrib", "docs", "skills")
    paths = sorted(path for folder in folders for path in (PROJECT / folder).rglob("*") if path.is_file())
    return {path.relative_to(PROJECT).as_posix(): path.read_bytes() for path in paths}


def mode(path: str) -> int:
    """The rights of a file: programs and scripts can be run."""
    return 0o755 if path in ("crashsift", "usr/bin/crashsift") or path.endswith(".sh") else 0o644


def zipped(content: bytes) -> bytes:
    """Compressed as Debian's documentation is."""
    return gzip.compress(content, 9, mtime=0)


def copyright_file() -> str:
    """Debian's file about the licences."""
    licence = (PROJECT / "LICENSE-MIT").read_text(encoding="utf-8")
    holder = next(line for line in licence.splitlines() if line.startswith("Copyright"))
    text = licence.split(holder, 1)[1].strip()
    indented = "\n".join(f" {line}" if line else " ." for line in text.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: crashsift\n\nFiles: *\nCopyright: {holder.removeprefix('Copyright').removeprefix(' (c)').strip()}\n"
        f"License: Expat or Apache-2.0\n\nLicense: Expat\n{indented}\n\n"
        "License: Apache-2.0\n On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.\n"
    )


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checksums(folder: Path) -> Path:
    """The sums of all files in the folder, for ``sha256sum --check``."""
    made = folder / "SHA256SUMS"
    files = sorted(path for path in folder.iterdir() if path.is_file() and path != made)
    made.write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files), encoding="utf-8", newline="\n")
    return made


# Where packagers expect a program for Windows: its target, what Scoop and winget call its processor.
WINDOWS = [("x86_64-pc-windows-msvc", "64bit", "x64"), ("aarch64-pc-windows-msvc", "arm64", "arm64")]


def manifests(folder: Path, address: str) -> list[Path]:
    """The manifests for Scoop and winget."""
    address = address.rstrip("/")
    found = []
    for target, of_scoop, of_winget in WINDOWS:
        path = folder / f"crashsift-{VERSION}-{target}.zip"
        if path.is_file():
            url = f"{address}/releases/download/v{VERSION}/{path.name}"
            found.append((target, of_scoop, of_winget, url, sha256(path)))
    if not found:
        raise SystemExit(f"{folder} has no crashsift-{VERSION}-*-pc-windows-msvc.zip")
    short = f"{DESCRIPTION.split(':')[0]}."
    inside = "crashsift-$version-{}"
    scoop = {
        "version": VERSION,
        "description": short,
        "homepage": address,
        "license": {"identifier": "MIT|Apache-2.0"},
        "architecture": {
            name: {"url": url, "hash": digest, "extract_dir": f"crashsift-{VERSION}-{target}"}
            for target, name, _, url, digest in found
        },
        "bin": "crashsift.exe",
        "checkver": {"github": address},
        "autoupdate": {
            "architecture": {
                name: {
                    "url": f"{address}/releases/download/v$version/{inside.format(target)}.zip",
                    "extract_dir": inside.format(target),
                }
                for target, name, *_ in found
            }
        },
    }
    identifier = f"{PUBLISHER}.crashsift"
    head = {"PackageIdentifier": identifier, "PackageVersion": VERSION}
    installers = [
        {
            "Architecture": name,
            "InstallerUrl": url,
            "InstallerSha256": digest.upper(),
            "NestedInstallerFiles": [
                {"RelativeFilePath": f"crashsift-{VERSION}-{target}\\crashsift.exe", "PortableCommandAlias": "crashsift"}
            ],
        }
        for target, _, name, url, digest in found
    ]
    winget = {
        f"{identifier}.yaml": ("version", head | {"DefaultLocale": "en-US"}),
        f"{identifier}.installer.yaml": (
            "installer",
            head | {"InstallerType": "zip", "NestedInstallerType": "portable", "Installers": installers},
        ),
        f"{identifier}.locale.en-US.yaml": (
            "defaultLocale",
            head
            | {
                "PackageLocale": "en-US",
                "Publisher": PUBLISHER,
                "PackageName": "crashsift",
                "PackageUrl": address,
                "License": LICENSE,
                "ShortDescription": short,
                "Tags": MANIFEST["package"]["keywords"],
            },
        ),
    }
    made = []
    for path, text in [
        (folder / "scoop" / "crashsift.json", json.dumps(scoop, indent=4) + "\n"),
        *((folder / "winget" / name, winget_yaml(kind, content)) for name, (kind, content) in winget.items()),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        made.append(path)
    return made


def winget_yaml(kind: str, content: dict[str, object]) -> str:
    """A manifest of winget. Every value is a JSON value, which YAML reads, too."""
    version = "1.6.0"
    lines = [f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{version}.schema.json", ""]
    lines += [f"{key}: {json.dumps(value)}" for key, value in content.items()]
    lines += [f"ManifestType: {kind}", f"ManifestVersion: {version}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    match sys.argv[1:]:
        case ["archive", target, program, folder]:
            made = [archive(target, Path(program), Path(folder))]
        case ["deb", program, folder]:
            made = [deb(Path(program), Path(folder))]
        case ["checksums", folder]:
            made = [checksums(Path(folder))]
        case ["manifests", folder, address]:
            made = manifests(Path(folder), address)
        case _:
            raise SystemExit(__doc__)
    for path in made:
        print(path)


main()
