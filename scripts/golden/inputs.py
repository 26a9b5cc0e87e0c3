"""The folder that every step reads: copies of a checkout's samples and rules, third-party evidence, and files made of
both (archives, damaged files, symbols, collections of several machines). Equal trees give equal folders."""

import gzip
import hashlib
import io
import os
import shutil
import struct
import tarfile
import zipfile
from pathlib import Path

# What is copied from the checkout.
FROM_TREE = [
    "rules",
    "samples",
    "tests/broken_rules",
    "tests/command_line",
    "tests/expected",
    "tests/rule_sets",
]
# Third-party evidence: its name among the inputs, the variable that names the folder, and the default below `shared`.
THIRD_PARTY = [
    ("corpus", "CRASHSIFT_CORPUS", "corpus"),
    ("cases", "CRASHSIFT_CASES", "cases"),
    ("artifact-cases", "CRASHSIFT_ARTIFACT_CASES", "artifact-cases"),
    ("fleets", "CRASHSIFT_FLEETS", None),
]
# The script's own inputs: overlays, Sigma rules, tickets.
OWN = Path(__file__).resolve().parent / "files"
# Every file and archive member gets this time (2024-01-01 UTC).
TIME = 1704067200
# The endings of evidence; everything else in a sample's folder describes the sample.
EVIDENCE = (".dmp", ".mdmp", ".evtx", ".wer", ".txt", ".log")


def prepare(tree, root):
    """Fills the folder `root`. Gives notes about what is absent."""
    notes = []
    for name in FROM_TREE:
        copy(tree / name, root / name)
    for name, variable, default in THIRD_PARTY:
        named = os.environ.get(variable)
        beside = default and tree.parent / "shared" / default
        source = Path(named) if named else beside
        if source and source.is_dir():
            copy(source, root / name)
        elif named:
            raise SystemExit(f"golden: {variable}: {named} is no folder")
        else:
            notes.append(f"no {name}: {variable} is not set" + (f", and {beside} is no folder" if beside else ""))
    copy(OWN, root / "own")
    made = root / "made"
    archives(root / "samples", made / "archives")
    damaged(root, made)
    symbols(root, made)
    collections(root / "samples", made / "collections")
    for path in [root, *root.rglob("*")]:
        os.utime(path, (TIME, TIME))
    return notes


def digest(root):
    """A hash of all names and contents below a folder."""
    total = hashlib.sha256()
    for path in files(root):
        name = os.fsencode(path.relative_to(root))
        total.update(b"%d %s %s" % (len(name), name, hashlib.sha256(path.read_bytes()).digest()))
    return total.hexdigest()


def files(folder):
    """All files below a folder, in order of their paths."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def evidence(folder):
    """The files below a folder that are evidence."""
    return [path for path in files(folder) if path.suffix.lower() in EVIDENCE]


def copy(source, target):
    """Copies a file or a folder without its permissions: third-party evidence may be read-only."""
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for entry in sorted(source.iterdir()):
            copy(entry, target / entry.name)
    else:
        write(target, source.read_bytes())


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


class Chance:
    """Numbers that look random and are the same in every run: a linear congruential generator with the constants of
    Knuth's MMIX."""

    def __init__(self, seed):
        self.state = seed
        self.below(2)

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


def archives(samples, folder):
    """One crash of three artifacts in every kind of archive, whole and damaged."""
    members = {path.name: path.read_bytes() for path in evidence(samples / "one-crash-three-artifacts")}
    members["other/" + "stack.dmp"] = evidence(samples / "stack-overflow")[0].read_bytes()
    members["ticket.txt"] = b"Exit code -1073740791 (0xC0000409) of ledger.exe\r\n"
    whole = zipped(members)
    tape = taped(members)
    made = {
        "deflated.zip": whole,
        "stored.zip": zipped(members, zipfile.ZIP_STORED),
        "lzma.zip": zipped(members, zipfile.ZIP_LZMA),
        "bzip2.zip": zipped(members, zipfile.ZIP_BZIP2),
        "nested.zip": zipped({"inner.zip": whole, "inner.tar": tape, "outer.txt": b"WinError 126\n"}),
        "deeply.zip": zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": whole})})}),
        "climbing.zip": zipped({"../../up.dmp": members["other/stack.dmp"], "C:\\abs.txt": b"0xC0000005\n"}),
        "cut.zip": whole[: len(whole) // 2],
        # Bit 0 of a member's flags: it needs a password.
        "locked.zip": whole.replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0").replace(
            b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0"
        ),
        "plain.tar": tape,
        "cut.tar": tape[: len(tape) // 2],
        "packed.tar.gz": packed(tape),
        "packed.tgz": packed(tape),
        "cut.tar.gz": packed(tape)[:-2000],
        "dump.dmp.gz": packed(members["other/stack.dmp"]),
        "stored.cab": cabinet(members),
        "cut.cab": cabinet(members)[:-5000],
        "unknown.rar": b"Rar!\x1a\x07\x01\0 an archive",
        "unknown.7z": b"7z\xbc\xaf\x27\x1c\0\x04 an archive",
        "empty.zip": zipped({}),
    }
    for name, content in made.items():
        write(folder / name, content)


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            about.compress_type = method
            archive.writestr(about, content)
    return out.getvalue()


def taped(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size, about.mtime = len(content), TIME
            archive.addfile(about, io.BytesIO(content))
    return out.getvalue()


def packed(content):
    return gzip.compress(content, mtime=TIME)


def cabinet(members):
    """A cabinet with one folder that is not compressed (Microsoft's [MS-CAB])."""
    content = b"".join(members.values())
    blocks = [content[at : at + 0x8000] for at in range(0, len(content), 0x8000)]
    table, offset = b"", 0
    for name, member in members.items():
        # Size, offset in the folder, folder 0, date, time, attributes.
        table += struct.pack("<IIHHHH", len(member), offset, 0, 0x5821, 0, 0x20) + name.encode() + b"\0"
        offset += len(member)
    first_file = 36 + 8
    first_block = first_file + len(table)
    # No checksums, compression 0.
    data = b"".join(struct.pack("<IHH", 0, len(block), len(block)) + block for block in blocks)
    size = first_block + len(data)
    head = struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, size, 0, first_file, 0, 3, 1, 1, len(members), 0, 0, 0)
    return head + struct.pack("<IHH", first_block, len(blocks), 0) + table + data


def damaged(root, made):
    """The samples' evidence as it arrives from failing disks, and cases' tickets of which a part was pasted."""
    for number, path in enumerate(evidence(root / "samples")):
        content, chance = path.read_bytes(), Chance(number)
        place = path.relative_to(root / "samples")
        if len(content) < 64:
            continue
        flipped = bytearray(content)
        for _ in range(12):
            flipped[chance.below(len(content))] ^= 1 << chance.below(8)
        start = chance.below(len(content)) // 2
        write(made / "damaged/cut" / place, content[: len(content) // 2])
        write(made / "damaged/cut-late" / place, content[: len(content) * 19 // 20])
        write(made / "damaged/flipped" / place, bytes(flipped))
        write(made / "damaged/zeroed" / place, content[:start] + bytes(512) + content[start + 512 :])
    for path in files(root / "cases"):
        if path.name == "ticket.txt":
            lines = path.read_bytes().splitlines(keepends=True)
            half, name = len(lines) // 2, path.parent.name + ".txt"
            write(made / "tickets/first-half" / name, b"".join(lines[:half]))
            write(made / "tickets/second-half" / name, b"".join(lines[half:]))


def modules(dump):
    """Name, size, time stamp and CodeView record of each module of a minidump."""
    if dump[:4] != b"MDMP":
        return
    count, directory = struct.unpack_from("<II", dump, 8)
    for index in range(count):
        kind, _, at = struct.unpack_from("<III", dump, directory + index * 12)
        if kind != 4:
            continue
        (modules_here,) = struct.unpack_from("<I", dump, at)
        for module in range(modules_here):
            entry = at + 4 + module * 108
            size, _, stamp, name_at = struct.unpack_from("<IIII", dump, entry + 8)
            record_size, record_at = struct.unpack_from("<II", dump, entry + 76)
            (length,) = struct.unpack_from("<I", dump, name_at)
            name = dump[name_at + 4 : name_at + 4 + length].decode("utf-16-le", "replace")
            yield name.replace("/", "\\").split("\\")[-1], size, stamp, dump[record_at : record_at + record_size]


def symbols(root, made):
    """Breakpad symbol files and images for modules of the samples' dumps. They describe no real code: each page is one
    function that takes 40 bytes of the stack."""
    known = {}
    for path in [*evidence(root / "samples"), *evidence(root / "artifact-cases")]:
        try:
            for name, size, stamp, record in modules(path.read_bytes()):
                known.setdefault((name, size, stamp, record), None)
        except struct.error:
            continue
    for name, size, stamp, record in known:
        # The folders of a symbol store are made of these names; a damaged dump's names are no paths.
        if not (0x3000 <= size <= 1 << 24 and name.replace(".", "").replace("_", "").replace("-", "").isalnum()):
            continue
        image = portable_executable(name, size, stamp)
        write(made / "symbols/images" / name.upper(), image)
        write(made / f"symbols/store/{name}/{stamp:08X}{size:x}/{name}", image)
        write(made / "symbols/other-build" / name, portable_executable(name, size, stamp ^ 1))
        if record[:4] != b"RSDS" or len(record) < 25:
            continue
        first, second, third = struct.unpack_from("<IHH", record, 4)
        (age,) = struct.unpack_from("<I", record, 20)
        debug_id = f"{first:08X}{second:04X}{third:04X}{record[12:20].hex().upper()}{age:x}"
        stem = record[24:].split(b"\0")[0].decode("ascii", "replace").replace("/", "\\").split("\\")[-1]
        stem = stem[:-4] if stem.lower().endswith(".pdb") else stem
        if not stem:
            continue
        text = symbol_file(name, size, debug_id, stem)
        write(made / f"symbols/flat/{stem}.sym", text)
        write(made / f"symbols/store/{stem}.pdb/{debug_id}/{stem}.sym", text)
        write(made / f"symbols/broken/{stem}.sym", text.replace(b"FUNC ", b"FUNC no number "))


def symbol_file(name, size, debug_id, stem):
    lines = [f"MODULE windows x86_64 {debug_id} {stem}.pdb"]
    pages = range(0x1000, min(size, 0x100000), 0x1000)
    lines += [f"FUNC {page:x} 1000 0 {stem}_{page:x}" for page in pages]
    lines.append(f"PUBLIC {size - 16:x} 0 {name}_end")
    lines += [f"STACK CFI INIT {page:x} 1000 .cfa: $rsp 48 + .ra: .cfa 8 - ^" for page in pages]
    return "\n".join(lines).encode() + b"\n"


def portable_executable(name, size, stamp):
    """An x64 image whose code is one function of `sub rsp, 40`, with an exported name."""
    tables = size // 0x1000 * 0x1000 - 0x1000
    # Unwind information version 1: a prologue of 4 bytes with one code, UWOP_ALLOC_SMALL of 40 bytes.
    data = struct.pack("<BBBBBBH", 1, 4, 1, 0, 4, 4 << 4 | 2, 0)
    functions = tables + len(data)
    data += struct.pack("<III", 0x1000, tables, tables)
    exports = tables + len(data)
    text = b"all_of_" + name.encode("ascii", "replace") + b"\0"
    data += struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, 0, 1, 1, 1, exports + 40, exports + 44, exports + 48)
    data += struct.pack("<IIH", 0x1000, exports + 50, 0) + text
    head = bytearray(0x400)
    head[:2] = b"MZ"
    struct.pack_into("<I", head, 0x3C, 0x80)
    struct.pack_into("<4sHHIIIHH", head, 0x80, b"PE\0\0", 0x8664, 2, stamp, 0, 0, 240, 0x2022)
    optional = 0x98
    struct.pack_into("<H", head, optional, 0x20B)
    struct.pack_into("<II", head, optional + 56, size, 0x400)
    struct.pack_into("<I", head, optional + 108, 16)
    struct.pack_into("<IIQQII", head, optional + 112, exports, 50 + len(text), 0, 0, functions, 12)
    sections = optional + 240
    struct.pack_into("<8sIIII12xI", head, sections, b".text", tables - 0x1000, 0x1000, 0x200, 0x400, 0x60000020)
    struct.pack_into("<8sIIII12xI", head, sections + 40, b".rdata", 0x1000, tables, 0x400, 0x600, 0x40000040)
    return bytes(head) + b"\x48\x83\xec\x28".ljust(0x200, b"\x90") + data.ljust(0x400, b"\0")


def collections(samples, folder):
    """Evidence of several samples together, as people collect it: a folder a machine, some files twice."""
    of_sample = [evidence(sample) for sample in sorted(samples.iterdir()) if sample.name != "fleet"]
    for number in range(16):
        chance = Chance(1000 + number)
        for taken in range(4 + chance.below(8)):
            machine = f"PC-{chance.below(3) + 1}"
            for path in of_sample[chance.below(len(of_sample))]:
                content = path.read_bytes()
                write(folder / f"{number:02}" / machine / f"{taken}" / path.name, content)
                if chance.below(6) == 0:
                    write(folder / f"{number:02}" / machine / "copies" / f"{taken} {path.name}", content)
