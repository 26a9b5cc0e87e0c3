"""Steps that explain codes."""

from step_values import DEMO, SITE, document


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
