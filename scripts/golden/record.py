"""Runs the steps of one program and keeps what they gave."""

import fcntl
import gzip
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import termios
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inputs import copy, files, write

# A command that takes longer hangs, seconds. The longest needs a few.
PATIENCE = 180
# Names of cache files are hashes of the program and of paths.
CACHE_FILE = re.compile(rb"\b[0-9a-f]{32}(\.crashsift-(?:cache|answer))\b")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "100"}


class Unusable(Exception):
    """The program can't be run at all."""


class Program:
    """A copy of a program under the name `crashsift`, with a home of its own."""

    def __init__(self, path, root):
        self.root = root
        self.file = root / "bin/crashsift"
        write(self.file, path.read_bytes())
        self.file.chmod(0o755)
        for folder in ["home", "tmp"]:
            (root / folder).mkdir()
        self.environment = {**ENVIRONMENT, "NO_COLOR": "1", "HOME": str(root / "home"), "TMPDIR": str(root / "tmp")}
        try:
            asked = subprocess.run([self.file, "--version"], env=self.environment, capture_output=True, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unusable(f"{path}: {error}") from error
        name, _, version = asked.stdout.strip().partition(b" ")
        if name != b"crashsift" or not version:
            raise Unusable(f"{path} is no crashsift: `--version` printed {asked.stdout!r}")
        version = re.escape(version)
        # In texts, in notes, in JSON with and without spaces, and in the manual page.
        before = rb'crashsift |"crashsift",\s*"version":\s*"|"tool_(?:before|now)":\s*"|this is |this version\'s \(|^v'
        self.version = re.compile(rb"(" + before + rb")" + version + rb"(?![0-9.]*[0-9])", re.MULTILINE)

    def neutral(self, text):
        """Output without the program's version, the path of the temporary folder and names that are hashes."""
        text = text.replace(os.fsencode(self.root), b"<folder>")
        text = self.version.sub(rb"\1<version>", text)
        return CACHE_FILE.sub(rb"<hash>\1", text)


class Ran:
    """What a command gave."""

    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr


class Shell:
    """Runs the commands of one step in a folder of its own, which has a link to each folder of the inputs, and writes
    down what they give."""

    def __init__(self, program, inputs, folder):
        self.program, self.inputs, self.folder = program, inputs, folder
        self.transcript, self.count = [], 0
        folder.mkdir(parents=True)
        for entry in inputs.iterdir():
            (folder / entry.name).symlink_to(os.path.relpath(entry, folder))

    def run(self, *arguments, stdin=b"", env=None, columns=None, sort_notes=False):
        """Runs the program. `env` adds variables, or removes those that are None; `columns` gives it a terminal of that
        width as standard output and standard error; `sort_notes` is for notes whose order is not defined."""
        environment = {**self.program.environment, **(env or {})}
        environment = {name: value for name, value in environment.items() if value is not None}
        command = [self.program.file, *arguments]
        try:
            if columns is None:
                ran = subprocess.run(
                    command, input=stdin, env=environment, cwd=self.folder, capture_output=True, timeout=PATIENCE
                )
                ran = Ran(ran.returncode, ran.stdout, ran.stderr)
            else:
                ran = on_terminal(command, environment, self.folder, columns)
        except subprocess.TimeoutExpired:
            ran = Ran(f"none, stopped after {PATIENCE} s", b"", b"")
        notes = self.program.neutral(ran.stderr)
        if sort_notes:
            notes = b"".join(sorted(notes.splitlines(keepends=True)))
        self.count += 1
        settings = [f"{name}={value}" if value else f"-{name}" for name, value in (env or {}).items()]
        settings += [f"on a terminal of {columns} columns"] if columns else []
        self.note(f"{shlex.join(['crashsift', *arguments])}" + (f"  ({', '.join(settings)})" if settings else ""))
        self.part(f"exit code: {ran.code}")
        if stdin:
            self.part("standard input", stdin)
        self.part("standard output", self.program.neutral(ran.stdout))
        self.part("standard error", notes)
        return ran

    def note(self, text):
        self.transcript.append(b"$ " + os.fsencode(text) + b"\n")

    def part(self, heading, content=None):
        """A heading with what belongs to it, which is left out where it is empty."""
        if content != b"":
            self.transcript.append(f"== {heading}\n".encode())
        if content:
            self.transcript += [content, b"" if content.endswith(b"\n") else b"\n\\ no line end\n"]

    # What steps prepare for their commands. What they write or copy is recorded like all that is there at the end.

    def read(self, name):
        path = self.folder / name
        return path.read_bytes() if path.is_file() else None

    def write(self, name, content):
        write(self.folder / name, content)

    def copy(self, name, target):
        copy(self.inputs / name, self.folder / target)

    def remove(self, name):
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def show_names(self, name):
        """Records the names of the files in a folder, with hashes made equal, instead of their contents."""
        names = sorted(self.program.neutral(os.fsencode(path.name)) for path in files(self.folder / name))
        self.part(f"names of files in {name}", b"\n".join(names))

    def finish(self):
        """The step's transcript: its commands, and what files are there at its end."""
        for entry in self.inputs.iterdir():
            (self.folder / entry.name).unlink()
        for path in files(self.folder):
            content = path.read_bytes()
            self.part(f"file {path.relative_to(self.folder)}", self.program.neutral(content) or b"(empty)\n")
        shutil.rmtree(self.folder)
        return b"".join(self.transcript)


def on_terminal(command, environment, folder, columns):
    """Runs a command whose standard output and standard error are one terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in environment.items() if name != "COLUMNS"}
    environment["TERM"] = "xterm-256color"
    child = subprocess.Popen(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    timer = threading.Timer(PATIENCE, child.kill)
    timer.start()
    shown = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            # Linux says so when the last process has closed the terminal.
            break
        if not part:
            break
        shown.append(part)
    os.close(ours)
    code = child.wait()
    timer.cancel()
    return Ran(code, b"".join(shown), b"")


class Record:
    """A folder with the transcripts of a program's steps. A step that is there is complete."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, step):
        return self.folder / f"{step}.gz"

    def has(self, step):
        return self.path(step).is_file()

    def read(self, step):
        return gzip.decompress(self.path(step).read_bytes())

    def keep(self, step, transcript):
        place, path = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(place, "wb") as out:
            out.write(gzip.compress(transcript, 1, mtime=0))
        self.path(step).parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, self.path(step))


def run_steps(program_path, inputs, steps, record, jobs, progress):
    """Runs steps and keeps them in the record. Gives the number of commands."""
    with tempfile.TemporaryDirectory(prefix="crashsift-golden-") as root:
        root = Path(root)
        program = Program(program_path, root)
        # Each program reads inputs that no other can have changed, at the same distance from where it runs.
        copied = root / "inputs"
        shutil.copytree(inputs, copied)
        record.folder.mkdir(parents=True, exist_ok=True)
        count = 0

        def one(numbered):
            number, (name, do) = numbered
            shell = Shell(program, copied, root / "steps" / str(number))
            try:
                do(shell)
            except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
                # What a program printed or wrote is not what the step's later commands need: that is a difference, too.
                shell.note(f"(the step ends here: {type(error).__name__}: {error})")
            record.keep(name, shell.finish())
            return shell.count

        with ThreadPoolExecutor(jobs) as pool:
            for done, commands in enumerate(pool.map(one, enumerate(steps)), start=1):
                count += commands
                progress(done, len(steps))
    return count
