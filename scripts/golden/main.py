"""The command line of a golden run; scripts/golden.sh describes it."""

import argparse
import fnmatch
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inputs
from record import Record, Unusable, run_steps
from steps import all_steps

TREE = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# Differing steps that are shown with lines of theirs; further ones are only named.
MOST_SHOWN = 40
# Shown of a line, characters.
LINE = 160


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory(prefix="crashsift-golden-") as folder:
        root = Path(folder) / "inputs"
        for note in inputs.prepare(arguments.inputs.resolve(), root):
            say(f"left out: {note}")
        steps = [step for step in all_steps(root) if is_wanted(step[0], arguments.only)]
        if not steps:
            sys.exit("golden: no step has such a name; `scripts/golden.sh steps` prints all")
        if arguments.command == "steps":
            print("\n".join(name for name, _ in steps))
            return 0
        if arguments.command == "record":
            arguments.folder.mkdir(parents=True, exist_ok=True)
            recorded(arguments.program, root, steps, arguments, anew=True)
            return 0
        return compare(root, steps, arguments)


def parse():
    parser = argparse.ArgumentParser(prog="scripts/golden.sh", description="Compares what two programs print and write.")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--only", metavar="PATTERN", action="append", default=[])
    shared.add_argument("--inputs", metavar="TREE", type=Path, default=TREE)
    shared.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1)
    shared.add_argument("--lines", metavar="N", type=int, default=12)
    shared.add_argument("--again", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True)
    comparing = commands.add_parser("compare", parents=[shared])
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    recording = commands.add_parser("record", parents=[shared])
    recording.add_argument("program", type=Path)
    recording.add_argument("folder", type=Path)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    comparing.add_argument("folder", type=Path, nargs="?", default=cache / "crashsift-golden")
    commands.add_parser("steps", parents=[shared])
    arguments = parser.parse_args()
    for program in ["old", "new", "program"]:
        path = getattr(arguments, program, None)
        if path and not path.is_file():
            parser.error(f"{path} is no file")
    return arguments


def is_wanted(name, patterns):
    def fits(pattern):
        return fnmatch.fnmatchcase(name, pattern) if set(pattern) & set("*?[") else pattern in name

    return not patterns or any(fits(pattern) for pattern in patterns)


def say(text):
    print(f"golden: {text}", file=sys.stderr, flush=True)


def progress(done, of):
    if sys.stderr.isatty():
        print(f"\rgolden: {done} of {of} steps", end="\n" if done == of else "", file=sys.stderr, flush=True)


def recorded(program, root, steps, arguments, anew):
    """The record of a program in the folder for records. Without `anew`, only what is missing in it is run."""
    # All that decides what is recorded has a part in the name.
    parts = [hashlib.sha256(program.read_bytes()).hexdigest(), inputs.digest(root), inputs.digest(HERE)]
    record = Record(arguments.folder / hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16])
    missing = [step for step in steps if anew or not record.has(step[0])]
    if missing:
        run(program, root, missing, record, arguments)
    else:
        say(f"{program}: its record is used again")
    return record


def run(program, root, steps, record, arguments):
    start = time.monotonic()
    try:
        commands = run_steps(program, root, steps, record, arguments.jobs, progress)
    except Unusable as error:
        sys.exit(f"golden: {error}")
    elapsed, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    took = f"{elapsed:.0f} s ({used.ru_utime + used.ru_stime:.0f} s of processor time so far)"
    say(f"{program}: {len(steps)} steps with {commands} commands in {took}: {record.folder}")


def compare(root, steps, arguments):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    old = recorded(arguments.old, root, steps, arguments, anew=arguments.again)
    new = Record(Path(tempfile.mkdtemp(prefix="new-", dir=arguments.folder)))
    run(arguments.new, root, steps, new, arguments)
    differing = []
    for name, _ in steps:
        if old.read(name) == new.read(name):
            new.path(name).unlink()
        else:
            differing.append(name)
    if not differing:
        shutil.rmtree(new.folder)
        print(f"equal: {len(steps)} steps")
        return 0
    for name in differing[:MOST_SHOWN]:
        print(f"differs: {name}")
        for line in difference(old.read(name), new.read(name), arguments.lines):
            print(f"    {line}")
    for name in differing[MOST_SHOWN:]:
        print(f"differs: {name}")
    print(f"{len(differing)} of {len(steps)} steps differ; whole: zdiff {old.folder}/STEP.gz {new.folder}/STEP.gz")
    return 1


def difference(old, new, most):
    """The first lines in which two transcripts differ, each run of them with the command that they belong to."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ["old", "new"]]
        for path, content in zip(paths, [old, new]):
            path.write_bytes(content)
        ran = subprocess.run(["diff", "--text", "--speed-large-files", "-U0", *paths], capture_output=True)
    lines = ran.stdout.decode("utf-8", "replace").split("\n")[2:]
    context = old.decode("utf-8", "replace").split("\n")
    shown, command = [], None
    changes = sum(1 for line in lines if line.startswith(("-", "+")))
    for hunk in hunks(lines):
        here = heading(context, hunk.line)
        if here != command:
            shown.append(here)
            command = here
        shown += clipped(hunk.removed, hunk.added)
        if len(shown) >= most:
            break
    more = changes - sum(1 for line in shown[:most] if line.startswith(("-", "+")))
    return shown[:most] + ([f"... {more} more lines"] if more > 0 else [])


class Hunk:
    """Lines that differ, and where the first of them is in the old text."""

    def __init__(self, line):
        self.line, self.removed, self.added = line, [], []


def hunks(lines):
    found = []
    for line in lines:
        place = re.match(r"@@ -(\d+)", line)
        if place:
            found.append(Hunk(int(place[1])))
        elif found and line.startswith("-"):
            found[-1].removed.append(line[1:])
        elif found and line.startswith("+"):
            found[-1].added.append(line[1:])
    return found


def heading(context, line):
    """The command that a line of a transcript belongs to, and the last heading before it."""
    part = None
    for before in reversed(context[:line]):
        if part is None and before.startswith("== "):
            part = before[3:]
        if before.startswith("$ "):
            return before + (f": {part}" if part else "")
    return part or ""


def clipped(removed, added):
    """Lines that differ, long ones only around the first character that does."""
    shown = []
    for index in range(max(len(removed), len(added))):
        pair = [lines[index] if index < len(lines) else None for lines in [removed, added]]
        first = 0
        if None not in pair:
            first = len(os.path.commonprefix(pair))
        for sign, line in zip("-+", pair):
            if line is not None:
                start = max(0, first - LINE // 2) if len(line) > LINE else 0
                end = start + LINE
                shown.append(f"{sign}{'...' * (start > 0)}{line[start:end]}{'...' * (end < len(line))}")
    return shown


if __name__ == "__main__":
    sys.exit(main())
