"""Steps about options, terminals, help and mistakes on the command line."""

from step_values import DEMO, SITE, STACK_OVERFLOW, TODAY

COMMANDS = ["analyze", "explain", "inspect", "compare", "merge", "why", "rules", "schema", "completions", "man"]
RULES_COMMANDS = ["list", "show", "check", "test", "causes", "facts", "schema", "diff", "new", "pages"]


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
