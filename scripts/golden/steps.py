"""What a golden run runs: one function for each area of the program, which gives named steps. A step is a function that
gets a shell (record.py) and runs one or several commands in a folder of its own; commands of one step may use what
earlier ones printed or wrote."""

import json

from inputs import evidence, files

FORMATS = ["text", "json", "jsonl", "csv", "markdown", "html"]
# The formats in which `-v` shows more.
FOR_READING = ["text", "markdown", "html"]
# The day by which `rules check` finds suppressions that ended.
TODAY = ["--today", "2027-01-31"]
SITE = "tests/command_line/site.yaml"
DEMO = "tests/rule_sets/demo"
OVERLAYS = ["override", "disable", "suppress"]
SIGMA = "sigma:own/sigma"
STACK_OVERFLOW = "samples/stack-overflow/python.exe.5316.dmp"


def all_steps(root):
    """All steps over the inputs in `root`, as (name, function), those that take longest first."""
    areas = [whole_folders, explain_codes, rules_of_program, rules_of_tree, caches, merging, with_symbols, with_sigma]
    areas += [damaged_files, samples, artifact_cases, corpus, cases, broken_rules, collections, overlays]
    areas += [drafts, comparing, archives, tickets, options, terminals, command_line]
    return [step for area in areas for step in area(root)]


def children(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


def folders(folder):
    return [path for path in children(folder) if path.is_dir()]


def relative(root, path):
    return str(path.relative_to(root))


def document(run):
    """The JSON document that a command printed; an empty one where it printed none."""
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {}


def incidents(run):
    return [incident["id"] for incident in document(run).get("incidents", [])]


# Whole folders.


def whole_folders(root):
    for name in ["samples", "samples/fleet", "corpus", "cases", "artifact-cases"]:
        if not (root / name).is_dir():
            continue
        for form in FORMATS:
            yield f"all/{name}/{form}", of_format(name, form)
        yield f"all/{name}/mergeable", mergeable(name)
        if name != "cases":
            yield f"all/{name}/options", with_options(name)
        if name.startswith("samples"):
            yield f"all/{name}/rules", with_rules(name)
            yield f"all/{name}/times", in_time(name)


def of_format(folder, form):
    def step(shell):
        for jobs in ["-j1", "-j2"]:
            shell.run("analyze", "-f", form, jobs, folder)
        shell.run("analyze", "-f", form, "-v", "-j2", "-o", f"report.{form}", folder)
        if form == "text":
            shell.run("analyze", "--color", "always", folder)

    return step


def mergeable(folder):
    def step(shell):
        shell.run("analyze", "-q", "-f", "json", "--mergeable", "-j1", folder)
        shell.run("analyze", "-q", "-f", "jsonl", "--mergeable", "-j2", folder)

    return step


def with_options(folder):
    def step(shell):
        shell.run("analyze", "--strict", folder)
        shell.run("analyze", "-q", "--strict", "--fail-on", "any", "-f", "csv", folder)
        for fail_on in ["gpu", "stack-overflow", "undetermined"]:
            shell.run("analyze", "-q", "-f", "csv", "--fail-on", fail_on, folder)
        for form, least in [("json", "0.5"), ("text", "0.8"), ("csv", "1")]:
            shell.run("analyze", "-f", form, "--min-confidence", least, folder)
        shell.run("analyze", "-f", "json", "--no-stack-walk", folder)

    return step


def with_rules(folder):
    def step(shell):
        shell.run("analyze", "-f", "json", "--no-builtin-rules", folder)
        shell.run("analyze", "--no-builtin-rules", folder)
        shell.run("analyze", "-v", "--no-builtin-rules", "--rules", SITE, folder)
        shell.run("analyze", "-f", "json", "--rules", SITE, "--rules", DEMO, folder)
        shell.run("analyze", "-v", "--rules", DEMO, folder)

    return step


def in_time(folder):
    def step(shell):
        for times in [
            ["--since", "2024-08-02"],
            ["--until", "2024-08-02"],
            ["--since", "2021-01-01", "--until", "2025-02-04T12:00:00Z"],
            ["--since", "2999-01-01"],
        ]:
            shell.run("analyze", "-f", "json", *times, folder)
            shell.run("analyze", *times, folder)

    return step


# Single samples, cases and files.


def samples(root):
    for folder in folders(root / "samples"):
        yield f"sample/{folder.name}", sample(root, folder)


def sample(root, folder):
    name, of = relative(root, folder), [relative(root, path) for path in evidence(folder)]

    def step(shell):
        report = document(shell.run("analyze", "-f", "json", name))
        for form in ["text", "jsonl", "csv", "markdown"]:
            shell.run("analyze", "-f", form, name)
        for form in ["text", "html"]:
            shell.run("analyze", "-f", form, "-v", name)
        shell.run("analyze", "-f", "json", "--mergeable", "--no-builtin-rules", name)
        if any(path.endswith("dmp") for path in of):
            shell.run("analyze", "-f", "json", "--no-stack-walk", name)
        for path in of:
            shell.run("inspect", path)
            shell.run("inspect", "-f", "json", path)
        shell.run("rules", "new", "--from", name, "--group")
        for number, incident in enumerate(report.get("incidents", [])[:4]):
            shell.run("why", incident["id"], name)
            if number == 0:
                shell.run("why", "-v", incident["id"], name)
                shell.run("why", "-f", "json", incident["id"], name)
            for finding in incident.get("findings", [])[:2]:
                shell.run("why", finding["rule"], name)
        shell.run("rules", "new", "--from", name, *incident_option(report))

    return step


def incident_option(report):
    """What makes `rules new` draft a rule for the report's last incident."""
    return [option for incident in report.get("incidents", [])[-1:] for option in ["--incident", incident["id"]]]


def cases(root):
    for number, folder in enumerate(folders(root / "cases")):
        yield f"case/{folder.name}", one_case(relative(root, folder), whole=number % 8 == 0)


def one_case(name, whole):
    ticket = f"{name}/ticket.txt"

    def step(shell):
        # Each command that reads a ticket takes ten times as long as one that does not: patterns are compiled.
        report = shell.run("analyze", "-f", "json", name)
        shell.run("inspect", "-f", "json", ticket)
        if not whole:
            return
        shell.run("analyze", "-v", name)
        shell.run("analyze", "-f", "json", "--ticket", ticket)
        shell.run("inspect", ticket)
        shell.run("rules", "new", name, *incident_option(document(report)))
        for incident in incidents(report)[:1]:
            shell.run("why", incident, name)

    return step


def artifact_cases(root):
    for group in folders(root / "artifact-cases"):
        for folder in folders(group):
            of = [relative(root, path) for path in evidence(folder)]
            yield f"artifact-case/{group.name}/{folder.name}", artifact_case(relative(root, folder), of)


def artifact_case(name, of):
    def step(shell):
        report = shell.run("analyze", "-f", "json", name)
        shell.run("analyze", "-v", name)
        for path in of:
            shell.run("inspect", path)
            shell.run("inspect", "-f", "json", path)
        for incident in incidents(report)[:1]:
            shell.run("why", incident, name)

    return step


def corpus(root):
    for kind in folders(root / "corpus"):
        for folder in folders(kind):
            of = [relative(root, path) for path in files(folder)]
            yield f"corpus/{kind.name}/{folder.name}", corpus_files(of)


def corpus_files(of):
    def step(shell):
        for path in of:
            report = shell.run("analyze", "-f", "json", path)
            shell.run("analyze", "-v", path)
            shell.run("inspect", path)
            shell.run("inspect", "-f", "json", path)
            for incident in incidents(report)[:1]:
                shell.run("why", incident, path)

    return step


def collections(root):
    for group, of in [("collection", root / "made/collections"), ("fleet", root / "fleets")]:
        for folder in folders(of):
            yield f"{group}/{folder.name}", collection(relative(root, folder))


def collection(name):
    def step(shell):
        shell.run("analyze", "-f", "json", "-j2", name)
        shell.run("analyze", "-v", name)

    return step


def damaged_files(root):
    for folder in folders(root / "made/damaged"):
        yield f"damaged/{folder.name}/all", damaged_folder(relative(root, folder))
        for sample_folder in folders(folder):
            of = [relative(root, path) for path in files(sample_folder)]
            yield f"damaged/{folder.name}/{sample_folder.name}", damaged_sample(of)


def damaged_folder(name):
    def step(shell):
        shell.run("analyze", "-f", "json", name)
        shell.run("analyze", "-v", name)
        shell.run("analyze", "--strict", "-f", "csv", name)

    return step


def damaged_sample(of):
    def step(shell):
        for path in of:
            shell.run("inspect", "-f", "json", path)

    return step


def archives(root):
    def whole(shell):
        shell.run("analyze", "made/archives")
        shell.run("analyze", "-v", "made/archives")
        shell.run("analyze", "-f", "json", "--strict", "made/archives")

    def one(path):
        def step(shell):
            report = shell.run("analyze", "-f", "json", "--strict", path)
            shell.run("analyze", "-v", path)
            shell.run("inspect", path)
            for incident in incidents(report)[:1]:
                shell.run("why", incident, path)

        return step

    yield "archives/all", whole
    for path in files(root / "made/archives"):
        yield f"archives/{path.name}", one(relative(root, path))


def tickets(root):
    def one(path):
        def step(shell):
            shell.run("analyze", "--ticket", path)
            shell.run("analyze", "-v", "-f", "json", "--ticket", "-", stdin=(root / path).read_bytes())
            shell.run("analyze", "-f", "json", "--ticket", path, "samples/delay-load-zlibwapi")
            shell.run("inspect", path)

        return step

    def parts(folder):
        def step(shell):
            shell.run("analyze", "-f", "json", folder)
            shell.run("analyze", "-v", folder)

        return step

    for path in files(root / "own/tickets"):
        yield f"tickets/{path.stem}", one(relative(root, path))
    for folder in folders(root / "made/tickets"):
        yield f"tickets/{folder.name}", parts(relative(root, folder))


# Cache, merge, comparison, symbols, Sigma rules.


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


def with_symbols(root):
    folder = root / "made/symbols"
    places = {path.name: f"made/symbols/{path.name}" for path in folders(folder)}
    evidence_folders = [name for name in ["samples", "artifact-cases"] if (root / name).is_dir()]

    def step(place):
        def run(shell):
            for of in evidence_folders:
                shell.run("analyze", "-f", "json", "--symbols", place, of)
            shell.run("analyze", "-j2", "-v", "--symbols", place, "samples")
            for path in evidence(root / "samples"):
                if path.suffix.lower() == ".dmp":
                    shell.run("inspect", "--symbols", place, relative(root, path))
            shell.run("why", "memory/stack-overflow", "samples/stack-overflow", "--symbols", place)
            shell.run("rules", "new", "samples/access-violation-driver", "--symbols", place)

        return run

    def several(shell):
        for order in [list(places.values()), list(places.values())[::-1]]:
            given = [option for place in order for option in ["--symbols", place]]
            shell.run("analyze", "-f", "json", *given, "samples")
            shell.run("analyze", "-f", "json", *given, "--cache", "cache", "samples")
        shell.remove("cache")
        for path in files(root / "made/symbols/flat")[:2]:
            shell.run("analyze", "-f", "json", "--symbols", relative(root, path), "samples")
        shell.run("analyze", "--symbols", "none", "samples/power-lost")
        shell.run("analyze", "--symbols", places.get("flat", "none"), "--no-stack-walk", "samples/power-lost")

    for name, place in places.items():
        yield f"symbols/{name}", step(place)
    yield "symbols/several", several


def with_sigma(root):
    def step(of):
        def run(shell):
            report = shell.run("analyze", "-f", "json", "--rules", SIGMA, of)
            for form in FOR_READING:
                shell.run("analyze", "-v", "-f", form, "--rules", SIGMA, of)
            shell.run("analyze", "-q", "-f", "csv", "--rules", SIGMA, "--rules", "own/sigma-rule.yaml", of)
            for incident in incidents(report)[:2]:
                shell.run("why", "--rules", SIGMA, "--rules", "own/sigma-rule.yaml", incident, of)
            shell.run("rules", "diff", "-r", SIGMA, "builtin", "own/sigma-rule.yaml", of)

        return run

    def rules(shell):
        for path in ["own/sigma", "own/sigma-mistakes", "own/sigma/crash.yml", "none", "own/tickets"]:
            given = f"sigma:{path}"
            shell.run("rules", "check", given)
            shell.run("rules", "list", "--no-builtin-rules", "-r", given)
            shell.run("rules", "list", "-f", "json", "--no-builtin-rules", "-r", given)
            shell.run("analyze", "-r", given, "samples/power-lost")
            for identity in ["0a0a0a0a-0000-4000-8000-000000000001", "0A0A0A0A-0000-4000-8000-000000000002"]:
                for form in ["text", "json"]:
                    shell.run("rules", "show", "-f", form, "-r", given, identity)
        shell.run("rules", "check", SIGMA, "own/sigma-rule.yaml", *TODAY)
        shell.run("rules", "test", "own/sigma-rule.yaml")
        shell.run("rules", "test", SIGMA)
        shell.run("rules", "causes", "-r", SIGMA)
        shell.run("rules", "pages", "-r", SIGMA, "pages")
        shell.run("rules", "diff", SIGMA, "builtin", "samples/power-lost")
        shell.run("explain", "-r", SIGMA, "126")

    def inspected(shell):
        for path in evidence(root / "samples"):
            if path.suffix == ".evtx":
                shell.run("inspect", "-r", SIGMA, relative(root, path))

    def merged(shell):
        shell.run("analyze", "-q", "-f", "json", "--mergeable", "-r", SIGMA, "-o", "a.json", "samples/power-lost")
        shell.run("analyze", "-q", "-f", "json", "--mergeable", "-r", SIGMA, "-o", "b.json", "samples/gpu-timeout")
        shell.run("analyze", "-q", "-f", "json", "--mergeable", "-o", "c.json", "samples/failing-drive")
        shell.run("merge", "-f", "json", "a.json", "b.json")
        shell.run("merge", "-v", "a.json", "b.json", "c.json")
        shell.run("why", "golden/sigma", "-r", "own/sigma-rule.yaml", "a.json", "b.json")
        shell.run("rules", "new", "--from", "a.json", "--group")

    for of in ["samples", "samples/fleet", "samples/victims-of-a-reset", "samples/audited-exit", "corpus/evtx"]:
        if (root / of).is_dir():
            yield f"sigma/{of}", step(of)
    yield "sigma/rules", rules
    yield "sigma/inspect", inspected
    yield "sigma/merge", merged


# Codes.


def explain_codes(root):
    own = root / "own"
    codes, none = ((own / name).read_text().splitlines() for name in ["codes.txt", "no-codes.txt"])
    bad = "[31mred"

    def each(shell):
        for code in codes:
            shell.run("explain", code)
            shell.run("explain", "-v", code)

    def together(shell):
        for form in ["text", "json"]:
            shell.run("explain", "-f", form, *codes)
            shell.run("explain", "-v", "-f", form, *codes)
            shell.run("explain", "-f", form, "--no-builtin-rules", *codes)
            shell.run("explain", "-f", form, "--no-builtin-rules", "--rules", SITE, "--rules", DEMO, *codes)
            shell.run("explain", "-f", form, "--rules", "own/overlays/override.yaml", *codes)
        shell.run("explain", "--color", "always", *codes)

    def no_codes(shell):
        for code in [*none, f"\x1b{bad}", f"exit code \x1b{bad} 53"]:
            shell.run("explain", code)
            shell.run("explain", "-f", "json", code)
        shell.run("explain", "-q", *none, "126")
        shell.run("explain", "-f", "json", *none, "126")
        # Words that a shell took apart.
        shell.run("explain", "exit", "code", "-1073740791")
        shell.run("explain", "WinError", "126")
        shell.run("explain", "STOP:", "0x116", "(0x1,", "0x2)")

    yield "explain/each", each
    yield "explain/together", together
    yield "explain/no-codes", no_codes
    for first in range(0, 16000, 1000):
        yield f"explain/decimal/{first:05}", swept([str(code) for code in range(first, first + 1000)])
    for first, count in [
        (0x0, 0x400),
        (0x10000000, 0x100),
        (0x40000000, 0x100),
        (0x40010000, 0x40),
        (0x80000000, 0x100),
        (0x80004000, 0x100),
        (0x80010000, 0x200),
        (0x80070000, 0x800),
        (0x80131000, 0x800),
        (0x800F0000, 0x400),
        (0x80240000, 0x100),
        (0x887A0000, 0x80),
        (0x88790000, 0x100),
        (0xC0000000, 0x800),
        (0xC0000800, 0x400),
        (0xC0010000, 0x100),
        (0xC0150000, 0x40),
        (0xC0190000, 0x80),
        (0xC01E0000, 0x400),
        (0xC0220000, 0x100),
        (0xC0E90000, 0x20),
        (0xC1900000, 0x200),
        (0xE0430000, 0x400),
        (0xE06D7300, 0x100),
    ]:
        yield f"explain/hexadecimal/{first:08X}", swept([f"0x{code:X}" for code in range(first, first + count)])


def swept(codes):
    """Explains many codes, and again by the names that they have."""

    def step(shell):
        readings = [
            reading
            for code in document(shell.run("explain", "-f", "json", *codes)).get("codes", [])
            for reading in code.get("readings", [])
        ]
        names = sorted({reading["name"] for reading in readings if "name" in reading})
        if names:
            shell.run("explain", "-f", "json", *names)
            shell.run("explain", *names[::7])

    return step


# Rules.


def rules_of_program(root):
    def listed(shell):
        for form in ["text", "json"]:
            shell.run("rules", "list", "-f", form)
            shell.run("rules", "list", "-f", form, "-r", SITE, "-r", DEMO)
            shell.run("rules", "list", "-f", form, "--no-builtin-rules", "-r", DEMO)
            shell.run("rules", "list", "-f", form, "--no-builtin-rules")
        for options in [
            ["--cause", "gpu-timeout"],
            ["--family", "gpu"],
            ["--area", "memory"],
            ["--severity", "critical"],
            ["--set", "builtin"],
            ["--fact", "exception.code"],
            ["--fact", "modules"],
            ["stack", "overflow"],
            ["nothing-has-this-word"],
            ["--area", "gpu", "--severity", "high", "driver"],
            ["--cause", "gpu-timeuot"],
            ["--family", "gremlins"],
            ["--area", "gremlins"],
            ["--severity", "gremlins"],
            ["--set", "gremlins"],
            ["--fact", "exeption.code"],
        ]:
            shell.run("rules", "list", *options)
            shell.run("rules", "list", "-f", "json", *options)

    def shown(shell):
        ids = [rule["id"] for rule in document(shell.run("rules", "list", "-f", "json")).get("rules", [])]
        if not ids:
            return
        shell.run("rules", "show", *ids)
        shell.run("rules", "show", "-f", "json", *ids)
        shell.run("rules", "show", ids[0].upper())
        shell.run("rules", "show", ids[0][:-1])

    def of_each_cause(shell):
        for cause in document(shell.run("rules", "causes", "-f", "json")).get("causes", []):
            shell.run("rules", "list", "--cause", cause["id"])

    def printed(shell):
        for form in ["text", "json"]:
            shell.run("rules", "facts", "-f", form)
            shell.run("rules", "causes", "-f", form)
            shell.run("rules", "causes", "-f", form, "-r", DEMO)
        shell.run("rules", "schema")
        shell.run("rules", "schema", "--no-builtin-rules")
        shell.run("rules", "schema", "-r", DEMO)
        for of in ["report", "lines", "comparison", "facts"]:
            shell.run("schema", of)
            shell.run("schema", of.upper())

    def in_colour(shell):
        forced = {"NO_COLOR": None, "CLICOLOR_FORCE": "1"}
        for arguments in [
            ["rules", "list", "--area", "gpu"],
            ["rules", "show", "memory/stack-overflow", "cudnn/zlibwapi-delay-load"],
            ["rules", "facts"],
            ["rules", "causes"],
            ["rules", "check", "tests/broken_rules/many-mistakes.yaml", *TODAY],
            ["rules", "check", "tests/broken_rules/lint-shadowed.yaml", *TODAY],
            ["rules", "test", DEMO],
            ["analyze", "--rules", "tests/broken_rules/fact-unknown.yaml", "samples/power-lost"],
            ["analyze", "samples/power-lost"],
            ["explain", "126"],
            ["why", "memory/stack-overflow", "samples/stack-overflow"],
            ["rules", "diff", "builtin", "own/overlays/disable.yaml", "samples/stack-overflow"],
            ["rules", "--help"],
            ["analyze", "--formt", "json"],
        ]:
            shell.run(*arguments, env=forced)

    def tested(shell):
        shell.run("rules", "check", *TODAY)
        shell.run("rules", "test")
        shell.run("rules", "test", "--mutants")

    def mutants(shell):
        shell.run("rules", "test", "--mutants=all")
        shell.run("rules", "test", "--mutants=some")

    def pages(shell):
        shell.run("rules", "pages", "pages")
        shell.run("rules", "pages", "pages")
        shell.run("rules", "pages", "-r", DEMO, "-r", "own/overlays/override.yaml", "more")
        shell.run("rules", "pages", "--no-builtin-rules", "-r", DEMO, "pages")
        shell.write("other/README.md", b"# Not a page of this program\n")
        shell.run("rules", "pages", "other")
        shell.run("rules", "pages", "/dev/null/pages")

    yield "rules/test/builtin", tested
    yield "rules/test/mutants", mutants
    yield "rules/list", listed
    yield "rules/show", shown
    yield "rules/causes", of_each_cause
    yield "rules/print", printed
    yield "rules/colour", in_colour
    yield "rules/pages", pages


def rules_of_tree(root):
    def check(shell):
        shell.run("rules", "check", "rules", *TODAY)

    def diff(shell):
        shell.run("rules", "diff", "builtin", "rules", "samples")
        shell.run("rules", "diff", "-f", "json", "builtin", "rules", "samples/fleet")

    def test(shell):
        shell.run("rules", "test", "rules")
        shell.run("rules", "test", "tests/expected")
        shell.run("rules", "check", "tests/expected", *TODAY)
        for path in [SITE, DEMO, "samples", "none"]:
            shell.run("rules", "check", path, *TODAY)
            shell.run("rules", "test", path)
            shell.run("rules", "test", "--mutants", path)
        for folder in folders(root / "tests/expected"):
            shell.run("rules", "test", relative(root, folder), DEMO)
            shell.run("analyze", "--rules", relative(root, folder), "samples/stack-overflow")

    def expectations(shell):
        for number, text in enumerate(
            [
                "count: 2",
                "count: 1\nincidents:\n  - {name: one, cause: heap-corruption, at_least: 0.9}",
                "incidents:\n  - {name: one, cause: stack-overflow, rules: [memory/none, memory/heap-corruption]}",
                "incidents:\n  - {name: one, cause: gremlins, suspect: [a.dll}",
                "count: many\nincident: []",
            ]
        ):
            shell.write(f"expected-{number}/expected.yaml", f"schema: 1\nartifacts: ../samples/stack-overflow\n{text}\n".encode())
            shell.run("rules", "check", f"expected-{number}", *TODAY)
            shell.run("rules", "test", f"expected-{number}")

    def areas(shell):
        for folder in folders(root / "rules")[:3]:
            shell.run("rules", "diff", "builtin", relative(root, folder), "samples/stack-overflow")
            shell.run("rules", "check", relative(root, folder), *TODAY)

    yield "rules/check/tree", check
    yield "rules/diff/tree", diff
    yield "rules/areas", areas
    yield "rules/test/tree", test
    yield "rules/test/expectations", expectations


def broken_rules(root):
    """Mistakes in rules: codes, places, carets and help."""
    folder = root / "tests/broken_rules"

    def step(path):
        def run(shell):
            shell.run("rules", "check", path, *TODAY)
            shell.run("analyze", "-q", "--no-builtin-rules", "--rules", path, "samples/power-lost")

        return run

    def together(shell):
        paths = [relative(root, path) for path in children(folder)]
        shell.run("rules", "check", "tests/broken_rules", *TODAY)
        shell.run("rules", "check", *paths[:20], *TODAY)
        for wrong in ["2027-1-31", "tomorrow", "2027-01-31T00:00:00Z"]:
            shell.run("rules", "check", "--today", wrong, SITE)

    def damaged(name, text):
        """The rules of a file with one line missing or changed, for each line. Only mistakes that keep the rules from
        being used: finding the others takes ten times as long."""

        def run(shell):
            lines = text.splitlines(keepends=True)
            for number, line in enumerate(lines):
                for instead in ["", line.replace(":", "", 1)]:
                    shell.write(name, "".join([*lines[:number], instead, *lines[number + 1 :]]).encode())
                    shell.run("analyze", "-q", "--no-builtin-rules", "--rules", name, "samples/none")
            shell.remove(name)

        return run

    paths = [path for path in children(folder) if path.name != "sets"] + folders(folder / "sets")
    for path in paths:
        yield f"rules/broken/{path.name}", step(relative(root, path))
    yield "rules/broken/together", together
    for path in [root / SITE, root / DEMO / "demo/rules.yaml"]:
        yield f"rules/broken/lines-of-{path.name}", damaged(path.name, path.read_text(encoding="utf-8"))


def overlays(root):
    of = ["samples/stack-overflow", "samples/delay-load-zlibwapi", "samples/same-place-on-three-machines"]

    def step(names):
        paths = [f"own/overlays/{name}.yaml" for name in names]
        rules = [option for path in paths for option in ["-r", path]]

        def run(shell):
            for form in FORMATS:
                shell.run("analyze", "-f", form, *rules, *of)
            shell.run("analyze", "-v", *rules, *of)
            shell.run("analyze", "-f", "csv", "--fail-on", "stack-overflow", *rules, of[0])
            shell.run("analyze", "-f", "csv", "--fail-on", "undetermined", *rules, of[0])
            shell.run("analyze", "-q", "--no-builtin-rules", *rules, of[0])
            for rule in ["memory/stack-overflow", "application/same-place-on-several-machines"]:
                for form in ["text", "json"]:
                    shell.run("why", "-f", form, *rules, rule, *of)
                    shell.run("rules", "show", "-f", form, *rules, rule)
            for name in names:
                shell.run("rules", "list", "--set", name, *rules)
            shell.run("rules", "check", *paths, *TODAY)
            shell.run("rules", "check", *paths, "--today", "2020-01-01")
            shell.run("rules", "test", *paths)
            for form in ["text", "json"]:
                shell.run("rules", "diff", "-f", form, "builtin", paths[0], *of)
                shell.run("rules", "diff", "-v", "-f", form, *rules, DEMO, paths[-1], *of)
                shell.run("rules", "diff", "-f", form, paths[-1], "builtin", "samples")

        return run

    for names in [[name] for name in OVERLAYS] + [OVERLAYS, OVERLAYS[::-1]]:
        yield "overlays/" + "-".join(names), step(names)


def drafts(root):
    def groups(shell):
        for of in ["samples/fleet", "samples"]:
            report = document(shell.run("analyze", "-q", "-f", "json", of))
            for group in report.get("groups", [])[:10]:
                shell.run("rules", "new", "--from", of, "--group", group["signature"])
            for incident in report.get("incidents", [])[:4]:
                shell.run("rules", "new", of, "--incident", incident["id"][:8])

    def written(shell):
        shell.run("rules", "new", "samples/stack-overflow", "-o", "drafts/draft.yaml")
        shell.run("rules", "new", "samples/stack-overflow", "-o", "draft.yaml")
        shell.run("rules", "new", "samples/stack-overflow", "-o", "draft.yaml")
        shell.run("rules", "check", "draft.yaml", *TODAY)
        shell.run("rules", "test", "--mutants", "draft.yaml")
        shell.run("analyze", "-r", "draft.yaml", "samples/stack-overflow")

    def asked_back(shell):
        shell.run("rules", "new")
        shell.run("rules", "new", "samples/fleet")
        shell.run("rules", "new", "samples/none")
        shell.run("rules", "new", "samples/empty-dump")
        shell.run("rules", "new", "samples/fleet", "--group", "crash | ")
        shell.run("rules", "new", "samples/fleet", "--group", "crash | ", "--incident", "0")
        shell.run("rules", "new", "samples/fleet", "--incident", "0")
        shell.run("rules", "new", "samples/stack-overflow", "--id", "no area")
        shell.run("rules", "new", "samples/stack-overflow", "--id", "memory/stack-overflow")
        shell.run("rules", "new", "samples/stack-overflow", "--id", "own/parser", "--cause", "stack-overflow")
        shell.run("rules", "new", "samples/stack-overflow", "--cause", "gremlins")
        shell.run("rules", "new", "samples/fleet", "-o", "draft.yaml", "--group")
        shell.run("rules", "new", "samples/gpu-timeout", "-r", DEMO)

    yield "rules/new/groups", groups
    yield "rules/new/written", written
    yield "rules/new/asked-back", asked_back


# The command line itself.


def options(root):
    both = [STACK_OVERFLOW, "samples/power-lost/System.evtx"]

    def listed(shell):
        for text in [
            "\n".join(both),
            "\r\n\r\n".join(both) + "\r\n",
            "\0".join(both) + "\0",
            "\ufeff" + "\n".join(both) + "\n",
            "",
            "samples/none\n",
        ]:
            shell.run("analyze", "-f", "json", "-", stdin=text.encode())
        shell.run("analyze", "-f", "json", both[0], "-", stdin=both[1].encode())
        shell.run("analyze", "-f", "json", "-", stdin=both[0].encode("utf-16"))
        shell.run("analyze", "--ticket", "-", "-", stdin=b"samples")
        shell.run("analyze", "--ticket", "-", both[1], stdin=b"exit code 0xC0000409")

    def paths(shell):
        shell.run("analyze", ".")
        shell.copy("samples/stack-overflow", "crashes")
        shell.run("analyze", "-f", "json", ".")
        shell.run("analyze", "-f", "json", "./crashes/../crashes", "crashes/", "crashes")
        shell.run("analyze", "-f", "json", "samples/stack-overflow", "samples/stack-overflow/python.exe.5316.dmp")
        shell.run("analyze", "-f", "json", "samples/*")
        shell.run("analyze", "samples/none", "samples/empty-dump", "samples/cut-dump")
        shell.run("analyze", "samples/empty-dump")
        shell.run("analyze", "--strict", "samples/empty-dump", "samples/stack-overflow")
        shell.run("analyze", "-q", "--strict", "samples/cut-dump")
        shell.run("inspect", "samples/none")
        shell.run("inspect", "samples")
        shell.run("inspect", "-f", "json", "samples/empty-dump")
        shell.run("inspect", "-r", DEMO, STACK_OVERFLOW)
        shell.run("why", "memory/stack-overflow", "samples/none")
        shell.run("why", "memory/stack-overflow", "samples/stack-overflow", "samples/none")
        shell.run("why", "stack-overflow", "samples/stack-overflow")
        shell.run("why", "heap-corruption", "samples/stack-overflow")
        shell.run("why", "memory/stack-overflw", "samples/stack-overflow")
        shell.run("why", "0000", "samples/stack-overflow")
        shell.run("why", "samples/stack-overflow", "memory/stack-overflow")
        shell.run("why", "site/stack-used-up", "--no-builtin-rules", "-r", SITE, "samples/stack-overflow")
        shell.run("rules", "diff", "builtin", "builtin", "samples/none")
        shell.run("rules", "diff", "builtin", "tests/broken_rules/fact-unknown.yaml", "samples")

    def why_many(shell):
        for rule in ["memory/stack-overflow", "cudnn/zlibwapi-delay-load", "memory/heap-corruption"]:
            shell.run("why", rule, "samples")
            shell.run("why", "-v", rule, "samples")
            shell.run("why", "-f", "json", rule, "samples")

    def outputs(shell):
        shell.write("report.txt", b"an older report\n" * 1000)
        shell.run("analyze", "-o", "report.txt", "--fail-on", "nonsense", STACK_OVERFLOW)
        shell.run("analyze", "-o", "report.txt", "--color", "always", STACK_OVERFLOW)
        shell.copy(STACK_OVERFLOW, "a.dmp")
        shell.write("mail.txt", b"exit code 0xC0000409\n")
        shell.write("folder/inner.txt", b"exit code 0xC0000409\n")
        for output, *arguments in [
            ["a.dmp", "a.dmp"],
            ["a.dmp", STACK_OVERFLOW],
            ["folder/inner.txt", "folder"],
            ["folder", "folder"],
            ["mail.txt", "--ticket", "mail.txt"],
            ["mail.txt", "--symbols", "mail.txt", STACK_OVERFLOW],
            ["none/report.txt", STACK_OVERFLOW],
            ["mail.txt/report.txt", STACK_OVERFLOW],
            ["-", STACK_OVERFLOW],
            ["/dev/full", STACK_OVERFLOW],
            ["/dev/null", STACK_OVERFLOW],
        ]:
            shell.run("analyze", "-o", output, *arguments)

    yield "options/lists", listed
    yield "options/paths", paths
    yield "options/why", why_many
    yield "options/outputs", outputs


def terminals(root):
    """What people see: the width and the colours of a terminal."""

    def step(columns, plain):
        def run(shell):
            env = {"NO_COLOR": "1" if plain else None}
            for arguments in [
                ["analyze", "--no-progress", "samples/stack-overflow", "samples/power-lost", "samples/cut-dump"],
                ["analyze", "--no-progress", "-v", "samples/one-crash-three-artifacts"],
                ["analyze", "--no-progress", "-f", "csv", "samples/power-lost"],
                ["analyze", "--no-progress", "--color", "never", "samples/power-lost"],
                ["explain", "-1073740791", "0x116"],
                ["why", "memory/stack-overflow", "samples/stack-overflow"],
                ["rules", "list", "--area", "gpu"],
                ["rules", "check", "tests/broken_rules/many-mistakes.yaml", *TODAY],
                ["analyze", "--help"],
                ["rules", "list", "--no-such-option"],
            ]:
                shell.run(*arguments, env=env, columns=columns)

        return run

    for columns in [60, 100, 180]:
        yield f"terminal/{columns}", step(columns, False)
        yield f"terminal/{columns}-plain", step(columns, True)


COMMANDS = ["analyze", "explain", "inspect", "compare", "merge", "why", "rules", "schema", "completions", "man"]
RULES_COMMANDS = ["list", "show", "check", "test", "causes", "facts", "schema", "diff", "new", "pages"]


def command_line(root):
    commands = [[], *([command] for command in COMMANDS), *(["rules", command] for command in RULES_COMMANDS)]

    def helps(shell):
        shell.run("help")
        for command in commands:
            for option in ["--help", "-h", "--version", "-V"]:
                shell.run(*command, option)
            if command:
                shell.run("help", *command)
            if command[:1] == ["rules"] and command[1:]:
                shell.run("rules", "help", *command[1:])

    def pages(shell):
        shell.run("man")
        for name in ["bash", "elvish", "fish", "powershell", "zsh", "korn"]:
            shell.run("completions", name)

    def wrong(shell):
        for command in commands:
            shell.run(*command)
            shell.run(*command, "--no-such-option")
            shell.run(*command, "-f", "xml", "a", "b", "c")
            shell.run(*command, "none")
        for line in [
            "analyse samples",
            "samples",
            "help nothing",
            "inspect a b",
            "rules chekc",
            "rules show no/such-rule",
            "rules show memory/stack-overflw",
            "rules check none",
            "rules test none",
            "rules facts --format yaml",
            "schema reports",
            "analyze --format xml samples",
            "analyze --since yesterday samples",
            "analyze --until 2024-13-01 samples",
            "analyze --since 2025-01-01 --until 2024-01-01 samples",
            "analyze --min-confidence 80 samples",
            "analyze --min-confidence NaN samples",
            "analyze --jobs 0 samples",
            "analyze --jobs 99999999 samples",
            "analyze --ticket samples",
            "analyze --ticket samples/none.txt",
            f"analyze --ticket {STACK_OVERFLOW}",
            "analyze --rules none samples",
            "analyze --rules samples samples",
            "analyze --output samples samples",
            "analyze --output",
            "analyze --symbols none samples",
            "analyze --quite samples",
            "analyze --color sometimes samples",
            "analyze --colour always samples",
            "analyze --fail-on heap-coruption samples",
            "analyze --fail-on new samples",
            "analyze --mergeable -f csv samples",
            "analyze --baseline none samples",
            "analyze --no-builtin-rules --fail-on gpu samples/power-lost",
            "analyze -f JSON -q samples/power-lost",
            "merge none",
            "compare none none",
            "compare a",
            "why x",
            "rules diff builtin",
            "rules diff builtin none samples",
        ]:
            shell.run(*line.split())
        shell.run("analyze", "samples/\x1b[31mred.dmp")
        shell.run("\x1b[31mred")

    yield "command-line/help", helps
    yield "command-line/pages", pages
    yield "command-line/wrong", wrong
