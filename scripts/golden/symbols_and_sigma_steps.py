"""Steps with symbols and with Sigma rules."""

from inputs import evidence, files
from step_values import FOR_READING, SIGMA, TODAY, folders, incidents, relative


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
