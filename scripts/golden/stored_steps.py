"""Steps that use what earlier runs wrote: the cache, merged reports and comparisons."""

import json

from inputs import files
from step_values import FORMATS, SIGMA, SITE, folders


def caches(root):
    for name in ["samples", "corpus", "artifact-cases"]:
        if (root / name).is_dir():
            yield f"cache/{name}", cached(name)
    yield "cache/places", cache_places


def cached(folder):
    def step(shell):
        for form in ["json", "text"]:
            shell.run("analyze", "-f", form, "--cache", "new/cache", folder)
            shell.run("analyze", "-f", form, "--cache", "new/cache", folder)
            shell.run("analyze", "-f", form, "-j2", "--cache", "new/cache", "--since", "2024-08-02", folder)
        shell.show_names("new/cache")
        damages = [
            ("the last byte is missing", lambda content: content[:-1]),
            ("half of it is missing", lambda content: content[: len(content) // 2]),
            ("a byte in its middle is another", flip_middle),
            ("its first bytes are others", lambda content: b"damaged!" + content[8:]),
            ("it is empty", lambda content: b""),
        ]
        for what, damage in damages:
            shell.note(f"cache files: {what}")
            for path in files(shell.folder / "new/cache"):
                path.write_bytes(damage(path.read_bytes()))
            # The order of notes is that of the files' names, which are hashes.
            shell.run("analyze", "-f", "json", "--cache", "new/cache", folder, sort_notes=True)
            shell.run("analyze", "-f", "json", "--cache", "new/cache", folder, sort_notes=True)
        shell.remove("new")

    return step


def flip_middle(content):
    middle = len(content) // 2
    return content[:middle] + bytes(byte ^ 0x55 for byte in content[middle : middle + 1]) + content[middle + 1 :]


def cache_places(shell):
    shell.write("file", b"not a folder\n")
    shell.run("analyze", "--cache", "file", "samples/power-lost")
    shell.run("analyze", "-q", "--cache", "file", "samples/power-lost")
    shell.run("analyze", "--cache", "file/below", "samples/power-lost")
    shell.run("analyze", "--cache", "/dev/null", "samples/power-lost")
    # What belongs to the cache is no artifact.
    shell.copy("samples/power-lost", "logs")
    shell.run("analyze", "-f", "json", "--cache", "logs", "logs")
    shell.run("analyze", "-f", "json", "--cache", "logs", "logs")
    shell.remove("logs")


def merging(root):
    yield "merge/samples", merge_parts("samples", [folder.name for folder in folders(root / "samples")])
    for name in ["samples/fleet", "corpus", "artifact-cases"]:
        if (root / name).is_dir():
            yield f"merge/{name}", merge_parts(name, [folder.name for folder in folders(root / name)])
    yield "merge/refused", merge_refused
    yield "merge/same-paths", merge_same_paths


def merge_parts(of, names):
    def step(shell):
        parts = []
        for number in range(3):
            form = "jsonl" if number == 1 else "json"
            paths = [f"{of}/{name}" for name in names[number::3]]
            if not paths:
                continue
            part = f"part-{number}.{form}"
            shell.run("analyze", "-q", "-f", form, "--mergeable", "-o", part, *paths)
            parts.append(part)
        for form in FORMATS:
            shell.run("merge", "-f", form, *parts)
        shell.run("merge", "-v", "--no-builtin-rules", "--rules", SITE, *parts)
        shell.run("merge", "-f", "json", "--mergeable", "-o", "two.json", *parts[:2])
        shell.run("merge", "-f", "json", "-j1", "two.json", *parts[2:])
        shell.run("merge", "-f", "csv", "--since", "2024-08-02", "--min-confidence", "0.8", *parts)
        shell.run("merge", "-f", "csv", "--strict", "--fail-on", "any", *parts)
        shell.run("merge", "-f", "csv", "--baseline", "two.json", "--fail-on", "new", *parts)
        shell.run("why", "memory/stack-overflow", *parts)
        shell.run("rules", "new", "--group", "--from", parts[0])
        shell.run("rules", "diff", "builtin", "own/overlays/disable.yaml", *parts)

    return step


def merge_refused(shell):
    shell.run("analyze", "--mergeable", "samples/stack-overflow")
    shell.run("analyze", "-q", "-f", "json", "--mergeable", "-o", "good.json", "samples/stack-overflow")
    shell.run("analyze", "-q", "-f", "json", "-o", "bare.json", "samples/stack-overflow")
    report = json.loads(shell.read("good.json") or b"{}")

    def changed(name, change):
        copy = json.loads(json.dumps(report))
        change(copy)
        shell.write(f"{name}.json", json.dumps(copy).encode())

    def first(copy):
        return next((one for one in copy.get("artifacts", []) if "evidence" in one), {})

    changed("other-format", lambda copy: copy.update(evidence_format="0000"))
    changed("other-schema", lambda copy: copy.update(schema_version="2.0"))
    changed("cut", lambda copy: first(copy).update(evidence=first(copy).get("evidence", "")[:40]))
    changed("kind", lambda copy: first(copy).update(kind="movie"))
    changed("too-large", lambda copy: first(copy).update(evidence=""))
    changed("stripped", lambda copy: first(copy).pop("evidence", None))
    changed("shorter", lambda copy: copy.update(artifacts=[]))
    shell.write("text.json", b"no report")
    names = ["bare", "other-format", "other-schema", "cut", "kind", "too-large", "stripped", "shorter", "text", "none"]
    for name in names:
        shell.run("merge", "good.json", f"{name}.json")
        shell.run("why", "memory/stack-overflow", f"{name}.json")
    shell.run("merge", "good.json", "good.json")
    shell.run("merge", "-")
    shell.run("merge", "-o", "good.json", "good.json")
    shell.run("merge", "--rules", SIGMA, "good.json")


def merge_same_paths(shell):
    for computer, of in [("pc-1", "power-lost"), ("pc-2", "failing-drive"), ("pc-3", "gpu-timeout")]:
        shell.copy(f"samples/{of}", "logs")
        shell.run("analyze", "-q", "-f", "json", "--mergeable", "-o", f"{computer}.json", "logs")
        shell.remove("logs")
    for form in ["text", "json"]:
        shell.run("merge", "-f", form, "pc-1.json", "pc-2.json", "pc-3.json")
        shell.run("merge", "-f", form, "pc-3.json", "pc-1.json")


def comparing(root):
    names = [folder.name for folder in folders(root / "samples")]
    halves = {"monday": names[: len(names) * 2 // 3], "tuesday": names[len(names) // 3 :], "fleet": ["fleet"]}

    def step(shell):
        for day, of in halves.items():
            paths = [f"samples/{name}" for name in of]
            shell.run("analyze", "-q", "-f", "json", "-o", f"{day}.json", *paths)
            shell.run("analyze", "-q", "-f", "jsonl", "-o", f"{day}.jsonl", *paths)
        for old in halves:
            for new in halves:
                for form in ["text", "json"]:
                    shell.run("compare", "-f", form, f"{old}.json", f"{new}.jsonl")
                shell.run("compare", "-v", "--fail-on", "new", f"{old}.jsonl", f"{new}.json")
        shell.run("compare", "-o", "compared.txt", "monday.json", "tuesday.json")
        shell.run("compare", "--color", "always", "monday.json", "tuesday.json")
        paths = [f"samples/{name}" for name in halves["tuesday"]]
        for form in FORMATS:
            shell.run("analyze", "-f", form, "--baseline", "monday.json", *paths)
        shell.run("analyze", "-f", "csv", "--fail-on", "new", "--baseline", "monday.jsonl", *paths)
        shell.run("analyze", "-f", "csv", "--fail-on", "new", "--baseline", "tuesday.json", *paths)
        shell.run("analyze", "--since", "2024-08-02", "--baseline", "monday.json", *paths)
        shell.run("analyze", "--rules", SITE, "--baseline", "monday.json", *paths)

    def refused(shell):
        shell.run("analyze", "-q", "-f", "json", "-o", "good.json", "samples/power-lost")
        report = json.loads(shell.read("good.json") or b"{}")
        shell.write("older-tool.json", json.dumps({**report, "tool": {"name": "crashsift", "version": "0.0.9"}}).encode())
        shell.write("newer.json", json.dumps({**report, "schema_version": "2.0"}).encode())
        shell.write("limited.json", json.dumps({**report, "since": "2024-01-01T00:00:00Z"}).encode())
        shell.write("half.json", (shell.read("good.json") or b"")[:2000])
        shell.write("other.json", b'{"incidents": []}')
        for name in ["older-tool", "newer", "limited", "half", "other", "none"]:
            shell.run("compare", f"{name}.json", "good.json")
            shell.run("compare", "-f", "json", "good.json", f"{name}.json")
            shell.run("analyze", "--baseline", f"{name}.json", "samples/power-lost")
        shell.run("compare", "good.json")
        shell.run("compare", "--fail-on", "any", "good.json", "good.json")
        shell.run("compare", "good.json", "good.json", "-o", "/dev/full")
        shell.run("analyze", "--fail-on", "new", "samples/power-lost")

    yield "compare/days", step
    yield "compare/refused", refused
