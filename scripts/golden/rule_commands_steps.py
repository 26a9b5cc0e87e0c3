"""Steps of the commands about rules."""

from step_values import DEMO, FORMATS, OVERLAYS, SITE, TODAY, children, document, folders, relative


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
