#!/usr/bin/env python3
"""Compares dumps of the programs of crashkit/ with crashkit/cases.tsv.

    score.py check DUMPS                      the module of the topmost frame of every dump, beside the table's
    score.py score PROGRAM DUMPS [-v] [NAME...]   what PROGRAM, a crashsift, says about every dump; NAME: these cases only
    score.py scanned PROGRAM DUMPS                how often frames that were searched for on the stack of a small dump are on
                                                  the unwound stack of the full dump of the same crash, by their probability

The baseline blames the module in which the instruction pointer lies, and nobody when it lies in none.
"""

import collections
import json
import mmap
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

KIT = pathlib.Path(__file__).resolve().parent
SIZES = ("full", "small")
ARCHITECTURES = ("x64", "x86")


def read_cases():
    rows = (KIT / "cases.tsv").read_text(encoding="utf-8").splitlines()
    keys = rows[0].split("\t")
    cases = [dict(zip(keys, row.split("\t"))) for row in rows[1:]]
    for case in cases:
        for key in ("blamed", "top", "mechanism"):
            case[key] = case[key].split("/")
    return cases


def leaf(name):
    return name.replace("/", "\\").split("\\")[-1].lower() if name else None


class Dump:
    """What a minidump of one of the programs shows: the code of its exception, modules, instruction pointer and stack."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

        def read(at, shape):
            return struct.unpack_from(shape, data, at)

        _, _, count, directory = read(0, "<4sIII")
        streams = {kind: at for kind, _, at in (read(directory + 12 * i, "<III") for i in range(count))}
        (thread,) = read(streams[6], "<I")
        (self.code,) = read(streams[6] + 8, "<I")
        size, context = read(streams[6] + 8 + 152, "<II")
        # Rip in CONTEXT of x64, Eip in that of x86.
        self.word = 8 if size > 1000 else 4
        (self.pointer,) = read(context + 0xF8, "<Q") if self.word == 8 else read(context + 0xB8, "<I")
        self.modules = []
        for i in range(*read(streams[4], "<I")):
            base, length, _, _, name = read(streams[4] + 4 + 108 * i, "<QIIII")
            (size,) = read(name, "<I")
            self.modules.append((base, base + length, leaf(data[name + 4:name + 4 + size].decode("utf-16-le"))))
        self.stack = b""
        for i in range(*read(streams[3], "<I")):
            number, _, _, _, _, _, size, at = read(streams[3] + 4 + 48 * i, "<IIIIQQII")
            if number == thread:
                self.stack = data[at:at + size]

    def module_at(self, address):
        return next((name for start, end, name in self.modules if start <= address < end), "-")

    def top(self):
        return self.module_at(self.pointer)

    def stack_names(self):
        """The modules into which words of the crashed thread's stack point."""
        words = struct.unpack_from(f"<{len(self.stack) // self.word}{'Q' if self.word == 8 else 'I'}", self.stack)
        return {self.module_at(word) for word in words}


def dumps_of(cases, folder, names=()):
    """(case, architecture, size, path) of each dump that should exist."""
    for case in cases:
        if names and case["name"] not in names:
            continue
        for architecture in ARCHITECTURES:
            if case["arch"] in ("both", architecture):
                for size in SIZES:
                    yield case, architecture, size, folder / architecture / f"{case['name']}.{size}.dmp"


def check(folder):
    wrong = total = 0
    for case, architecture, size, path in dumps_of(read_cases(), folder):
        total += 1
        if not path.is_file():
            print(f"{architecture} {case['name']} {size}: no dump")
            wrong += 1
            continue
        dump = Dump(path)
        if case["top"] != ["*"] and dump.top() not in case["top"]:
            print(f"{architecture} {case['name']} {size}: 0x{dump.code:08x} in {dump.top()}, not in {'/'.join(case['top'])}")
            wrong += 1
        elif size == "small" and case["where"] == "stack" and not dump.stack_names() & set(case["blamed"]):
            loaded = {name for _, _, name in dump.modules}
            print(f"{architecture} {case['name']}: no word of the stack points into {'/'.join(case['blamed'])}" + ("" if loaded & set(case["blamed"]) else ", which is not loaded"))
            wrong += case["blamed"][0] in loaded
    print(f"{total} dumps, {wrong} not as the table says")
    return 1 if wrong else 0


def ask(program, path, cache):
    """The first incident that the program reports for a dump, or {}."""
    done = subprocess.run(
        [program, "analyze", "-f", "json", "--no-progress", str(path)],
        capture_output=True, timeout=300, env={**os.environ, "XDG_CACHE_HOME": cache}, check=False,
    )
    if done.returncode not in (0, 1, 3, 4) or not done.stdout.strip():
        return None
    return (json.loads(done.stdout)["incidents"] or [{}])[0]


def share(right, total):
    return f"{right:3} of {total:3} ({100 * right / total:3.0f} %)" if total else "  none       "


def score(program, folder, verbose, names):
    count = collections.defaultdict(collections.Counter)
    where = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as cache:
        for case, architecture, size, path in dumps_of(read_cases(), folder, names):
            group = count[size, architecture]
            if not path.is_file():
                print(f"no dump {path}")
                continue
            incident = ask(program, path, cache)
            if incident is None:
                print(f"FAILED {path}")
                group["failed"] += 1
                incident = {}
            dump = Dump(path)
            top, code = dump.top(), dump.code
            suspect = leaf((incident.get("suspect") or {}).get("module")) or "-"
            basis = (incident.get("suspect") or {}).get("basis", "")
            mechanism = incident.get("mechanism")
            kind = mechanism.get("kind") if isinstance(mechanism, dict) else mechanism
            right, lucky = suspect in case["blamed"], top in case["blamed"]
            group["dumps"] += 1
            group["right"] += right
            group["baseline"] += lucky
            group["mended"] += right and not lucky
            group["broken"] += lucky and not right
            group["silent"] += suspect == "-" and not right
            group["kind"] += kind in case["mechanism"]
            group["exact kind"] += kind == case["mechanism"][0]
            where[size, case["where"]]["dumps"] += 1
            where[size, case["where"]]["right"] += right
            if verbose:
                print(f"{'ok' if right else '--'} {'ok' if kind in case['mechanism'] else '--'} {architecture} {size:5} {case['name']:26} 0x{code:08x} top {top:16} "
                      f"want {'/'.join(case['blamed']):16} got {suspect} ({basis})  mechanism want {case['mechanism'][0]} got {kind}")
    for size in SIZES:
        total = sum((count[size, a] for a in ARCHITECTURES), collections.Counter())
        for label, group in [(a, count[size, a]) for a in ARCHITECTURES] + [("both", total)]:
            errors = group["dumps"] - group["baseline"]
            print(f"{size:5} {label:4}  suspect {share(group['right'], group['dumps'])}  baseline {share(group['baseline'], group['dumps'])}  "
                  f"its errors gone {share(group['mended'], errors)}, made anew {group['broken']:2}, silent {group['silent']:3}  "
                  f"mechanism {share(group['kind'], group['dumps'])}, exactly {group['exact kind']:3}" + (f"  FAILED {group['failed']}" if group["failed"] else ""))
    print("suspect right by where the blamed module is:")
    for size in SIZES:
        print(f"{size:5} " + "  ".join(f"{place} {share(where[size, place]['right'], where[size, place]['dumps'])}" for place in ("top", "stack", "off", "gone", "nobody")))
    return 0


def scanned(program, folder):
    """x64 only: 32-bit code has no tables that unwind it exactly."""
    right, total, stacks = collections.Counter(), collections.Counter(), set()
    with tempfile.TemporaryDirectory() as cache:
        for case, architecture, size, path in dumps_of(read_cases(), folder):
            if architecture != "x64" or size != "small" or not path.is_file():
                continue
            full = (ask(program, path.with_name(f"{case['name']}.full.dmp"), cache) or {}).get("stack", [])
            # A chain that ends in a guess is not known to its end, so that what is missing in it may be right.
            if not full or any(frame["trust"] not in ("exact", "unwound") for frame in full):
                continue
            known = {frame.get("address") for frame in full}
            stacks.add(tuple(frame.get("offset") for frame in full))
            for frame in (ask(program, path, cache) or {}).get("stack", []):
                if frame["trust"] == "scanned":
                    total[frame["probability"]] += 1
                    right[frame["probability"]] += frame.get("address") in known
    print(f"{len(stacks)} different stacks")
    for probability in sorted(total):
        print(f"probability {probability:.2f}: {share(right[probability], total[probability])}")
    return 0


def main(arguments):
    verbose = "-v" in arguments
    arguments = [a for a in arguments if a != "-v"]
    if len(arguments) == 2 and arguments[0] == "check":
        return check(pathlib.Path(arguments[1]))
    if len(arguments) >= 3 and arguments[0] == "score":
        return score(arguments[1], pathlib.Path(arguments[2]), verbose, arguments[3:])
    if len(arguments) == 3 and arguments[0] == "scanned":
        return scanned(arguments[1], pathlib.Path(arguments[2]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
