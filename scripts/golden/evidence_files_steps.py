"""Steps over single samples, cases, archives, tickets and damaged files."""

from inputs import evidence, files
from step_values import document, folders, incident_option, incidents, relative


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
