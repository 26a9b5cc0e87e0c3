"""Steps that analyze whole folders, with every option that changes what is reported."""

from step_values import DEMO, FORMATS, SITE


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
