"""Tries and measures crashsift_spark on a made fleet: scripts/fleet.sh calls it with the environment's Python.

    check.py test MADE WORK [STEP...]    the reports of Spark and of one run of the program are equal
    check.py bench MADE WORK             files per second and core, and memory

Steps: whole, killed, poisoned, nightly, truth, store, questions, portability. Those that need packages that are not there say so.
"""

import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import cached_property
from pathlib import Path

MASTER = os.environ.get("SPARK_MASTER", "local-cluster[2,1,1024]")


def say(text):
    print(f"fleet: {text}", file=sys.stderr, flush=True)


def crashsift(*arguments):
    """Runs the program; returns its wall and processor time, seconds, and its peak of memory, MiB."""
    begun = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "crashsift", *map(str, arguments)], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, arguments
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def descendants(of):
    """Process ids and command lines of all processes that a process began."""
    children, commands = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
            commands[int(entry)] = Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        children.setdefault(int(stat[1]), []).append(int(entry))
    found, waiting = {}, [of]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found[child] = commands.get(child, "")
            waiting.append(child)
    return found


class Spark:
    """One run of the job in a process of its own, with the peaks of its processes' memory."""

    ROLES = [("executor", "CoarseGrainedExecutorBackend"), ("driver", "SparkSubmit"), ("judge", "crashsift merge"),
             ("worker", "pyspark/python/lib/pyspark.zip/pyspark/daemon.py"), ("worker", "pyspark.daemon")]

    def __init__(self, evidence, out, *options, reader=None):
        command = [sys.executable, "-m", "crashsift_spark", str(evidence), "-o", str(out), "--master", MASTER, *options]
        # A busy computer starts executors late.
        command += ["--conf", "spark.network.timeout=600s", "--conf", "spark.executor.heartbeatInterval=60s"]
        if reader:
            command += ["--reader", f"readers:{reader}"]
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self.log = Path(f"{out}.log").open("wb")
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, env={**os.environ, "PYTHONPATH": path}
        )
        self.peaks, self.processor = {}, {}
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        ticks = os.sysconf("SC_CLK_TCK")
        while self.process.poll() is None:
            for pid, command in {**descendants(self.process.pid), self.process.pid: "SparkClient"}.items():
                role = next((role for role, mark in self.ROLES if mark in command), "other")
                try:
                    status = Path("/proc", str(pid), "status").read_text()
                    stat = Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                peak = re.search(r"VmHWM:\s+(\d+)", status)
                if peak:
                    self.peaks[role] = max(self.peaks.get(role, 0), int(peak[1]) / 1024)
                self.processor[pid] = (int(stat[11]) + int(stat[12])) / ticks
            time.sleep(0.2)

    def kill_an_executor(self, when):
        """Ends one executor when a path has a content."""
        while not (when.is_dir() and any(when.rglob("part-*"))):
            assert self.process.poll() is None, "the job ended before an executor could be ended"
            time.sleep(0.05)
        executors = [pid for pid, command in descendants(self.process.pid).items() if self.ROLES[0][1] in command]
        os.kill(executors[0], signal.SIGKILL)
        return executors[0]

    def result(self):
        printed, _ = self.process.communicate()
        self.wall = time.monotonic() - self.begun
        assert self.process.returncode == 0, Path(self.log.name).read_text(errors="replace")[-4000:]
        return json.loads(printed)


def same(one, other):
    # Not read whole: a process that is begun later has the peak of this one, too.
    assert filecmp.cmp(one, other, shallow=False), f"{one} and {other} differ"


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return folder


class Test:
    """A made fleet, and what one run of the program says about it."""

    def __init__(self, made, work):
        self.made, self.work = made, work
        self.evidence, self.plain = made / "evidence", work / "plain.json"
        crashsift("analyze", self.evidence, "-o", self.plain)
        self.files = sum(len(names) for _, _, names in os.walk(self.evidence))
        self.incidents = json.loads(self.plain.read_text())["incidents"]
        say(f"one run of the program: {self.files} files, {len(self.incidents)} incidents")

    @cached_property
    def whole(self):
        """Spark's job over all files, whose results are in a folder of this name."""
        return Spark(self.evidence, fresh(self.work / "whole")).result()

    def machines(self):
        return sorted(path.name for path in self.evidence.iterdir())


def test(made, work, *steps):
    it = Test(made, work)
    for step in steps or STEPS:
        STEPS[step](it)


def whole(it):
    run = it.whole
    same(run["report"], it.plain)
    assert run["files"] == run["new_files"] == it.files and not run["quarantined"], run
    say("Spark's report is equal, byte for byte")


def killed(it):
    job = Spark(it.evidence, fresh(it.work / "killed"), reader="slow")
    pid = job.kill_an_executor(it.work / "killed" / "evidence")
    same(job.result()["report"], it.plain)
    say(f"the same after executor {pid} was ended while it read")


def questions(it):
    """Spark's answers about the tables that its job wrote are those of DuckDB about the tables of one run of the program."""
    tables, kept, lake = it.work / "plain.parquet", it.work / "answers.json", Path(__file__).parent.parent / "lake.py"
    crashsift("analyze", it.evidence, "-o", tables)
    for command in (["ask", tables], ["spark", it.whole["tables"]]):
        subprocess.run([sys.executable, lake, *command, kept], check=True)


def poisoned(it):
    """A file that ends the process that reads it costs its own evidence only."""
    evidence, work, machines = it.evidence, it.work, it.machines()[:6]
    few = fresh(work / "few")
    for machine in machines:
        shutil.copytree(evidence / machine, few / machine)
    plain = work / "few.json"
    crashsift("analyze", few, "-o", plain)
    poison = few / machines[2] / "poison.dmp"
    poison.write_bytes(b"MDMP")
    run = Spark(few, fresh(work / "poisoned"), reader="poisoned").result()
    assert run["quarantined"] == [str(poison)], run
    report, known = json.loads(Path(run["report"]).read_text()), json.loads(plain.read_text())
    [artifact] = [one for one in report["artifacts"] if one["path"] == str(poison)]
    assert artifact["status"] == "failed" and "ended the process" in artifact["detail"], artifact
    assert report["incidents"] == known["incidents"] and report["groups"] == known["groups"]
    say("a file that ends its process twice is given up; nothing else is missing")


def nightly(it):
    """A second run reads what is new, and its report is that of everything."""
    evidence, work, machines = it.evidence, it.work, it.machines()
    root = fresh(work / "nights")
    half = len(machines) // 2
    for machine in machines[:half]:
        shutil.copytree(evidence / machine, root / machine)
    log = root / machines[0] / "Logs" / "System.evtx"
    whole = log.read_bytes()
    log.write_bytes(whole[:4096])
    out = fresh(work / "nightly")
    first = Spark(root, out).result()
    log.write_bytes(whole)
    for machine in machines[half:]:
        shutil.copytree(evidence / machine, root / machine)
    second = Spark(root, out).result()
    assert second["new_files"] == second["files"] - first["files"] + 1, (first, second)
    everything = work / "nights.json"
    crashsift("analyze", root, "-o", everything)
    same(second["report"], everything)
    new = json.loads(Path(second["new"]).read_text())["comparison"]
    assert Spark(root, out).result()["number"] == 2, "a run without anything new"
    say(f"the second night read {second['new_files']} of {second['files']} files; what is new: {', '.join(sorted(new))}")


def truth(it):
    """How many of the incidents that truly were are in the report, by computer, kind and time."""
    found = {}
    for incident in it.incidents:
        found.setdefault((incident.get("host"), incident["kind"]), []).append(incident.get("time", "")[:16])
    missed, count = [], 0
    for line in (it.made / "truth" / "incidents.jsonl").open():
        true = json.loads(line)
        count += 1
        at = time.mktime(time.strptime(true["time"], "%Y-%m-%dT%H:%M:%SZ"))
        near = {time.strftime("%Y-%m-%dT%H:%M", time.localtime(at + 60 * minutes)) for minutes in (-1, 0, 1, 2)}
        if not near & set(found.get((true["host"], true["kind"]), [])):
            missed.append(true)
    say(f"of {count} true incidents {count - len(missed)} are in the report, which has {len(it.incidents)}")
    assert len(missed) * 50 <= count, missed[:3]


def store(it):
    """Evidence in a bucket: the report is that of the same files in a folder, also when they came in two nights."""
    try:
        from moto.server import ThreadedMotoServer
    except ImportError:
        return say("store: skipped, there is no moto")

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    # This server takes any credentials.
    os.environ.update(AWS_ACCESS_KEY_ID="any", AWS_SECRET_ACCESS_KEY="any")
    url, options = "s3://collected/fleet", f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
    bucket, root = filesystem(f"{url}?{options}&allow_bucket_creation=true")
    bucket.create_dir("collected")

    def put(name, content):
        with bucket.open_output_stream(f"{root}/{name}") as object:
            object.write(content)

    machines, files = it.machines(), sorted(path for path in it.evidence.rglob("*") if path.is_file())
    names = [path.relative_to(it.evidence).as_posix() for path in files]
    early = {name for name in names if name.split("/")[0] in machines[: len(machines) // 2]}
    part = f"{machines[0]}/Logs/System.evtx"
    for name in early:
        put(name, (it.evidence / name).read_bytes()[: 4096 if name == part else None])
    out = fresh(it.work / "store")
    first = Spark(f"{url}?{options}", out).result()
    assert first["new_files"] == first["files"] == len(early), first
    for name in sorted({*names} - early | {part}):
        put(name, (it.evidence / name).read_bytes())
    second = Spark(f"{url}?{options}", out).result()
    server.stop()
    assert second["new_files"] == len(files) - len(early) + 1, second
    plain = it.work / "store.json"
    plain.write_bytes(it.plain.read_bytes().replace(f"{it.evidence}/".encode(), f"{url}/".encode()))
    same(second["report"], plain)
    say(f"{len(files)} objects of a bucket, read in two nights: the report is equal but for the paths")


def filesystem(url):
    from pyarrow.fs import FileSystem

    return FileSystem.from_uri(url)


def portability(it):
    """Other engines get the same functions, and what they read is equal to what Spark has read."""
    import pyarrow.parquet

    def evidence(out):
        rows = pyarrow.parquet.read_table(out / "evidence" / "run-0001").to_pylist()
        return sorted(rows, key=lambda row: (row["path"], row["artifact"]))

    assert it.whole["files"] == it.files
    for engine, package in (("sail", "pysail"), ("daft", "daft")):
        python, out = it.work / engine / "bin" / "python", fresh(it.work / f"on-{engine}")
        if not python.exists() or subprocess.run([python, "-c", f"import {package}"], stderr=subprocess.DEVNULL).returncode:
            say(f"{engine}: skipped, there is no {package}")
            continue
        # What engines say about themselves is of interest only when they fail.
        ended = subprocess.run([python, Path(__file__).parent / "engines.py", engine, it.evidence, out], capture_output=True)
        assert ended.returncode == 0, ended.stderr.decode(errors="replace")[-4000:]
        assert evidence(out) == evidence(it.work / "whole"), f"{engine} reads something else"
        say(f"{engine}: the evidence of {it.files} files is equal to Spark's")
        if (out / "reports").is_dir():
            same(out / "reports" / "run-0001.json", it.plain)
            say(f"{engine}: so is the report")


STEPS = {step.__name__: step for step in (whole, killed, poisoned, nightly, truth, store, questions, portability)}


def bench(made, work):
    """All files, and those of 64 KiB and more alone; each of a tenth of the machines first, for what a further file costs."""
    evidence = made / "evidence"
    machines = sorted(path.name for path in evidence.iterdir())
    tenth = set(machines[: len(machines) // 10])

    def chosen(name, is_chosen):
        folder = fresh(work / name)
        for at, _, names in os.walk(evidence):
            for path in (Path(at, name) for name in names):
                if is_chosen(path, path.relative_to(evidence).parts[0]):
                    link = folder / path.relative_to(evidence)
                    link.parent.mkdir(parents=True, exist_ok=True)
                    os.link(path, link)
        return folder

    def is_large(path, machine):
        return path.stat().st_size >= 64 << 10

    further(
        measure(chosen("tenth", lambda path, machine: machine in tenth), work),
        measure(evidence, work),
    )
    further(
        measure(chosen("large-tenth", lambda path, machine: machine in tenth and is_large(path, machine)), work),
        measure(chosen("large", is_large), work),
    )


def further(few, many):
    """What a further file costs: without what a run costs whatever it reads."""
    files = many["files"] - few["files"]
    plain, spark = ((many[name] - few[name]) / files * 1000 for name in ("plain", "spark"))
    print(f"A further file: {plain:.2f} ms of a processor in one process, {spark:.2f} ms with Spark ({spark / plain - 1:+.0%})")
    print(f"Whatever it reads, Spark takes {few['spark'] - few['files'] * spark / 1000:.0f} s of a processor\n", flush=True)


def measure(evidence, work):
    sizes = [os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(evidence) for name in names]
    files = len(sizes)
    print(f"{files} files, {sum(sizes) / 1e9:.2f} GB")
    print("| run | wall s | processor s | files/s | files/s of a processor | peak MiB |")
    print("| --- | --- | --- | --- | --- | --- |")

    def row(name, wall, processor, peak):
        print(f"| {name} | {wall:.1f} | {processor:.1f} | {files / wall:.0f} | {files / processor:.0f} | {peak} |", flush=True)

    taken = {"files": files}
    for jobs in (2, 1):
        wall, taken["plain"], peak = crashsift(
            "analyze", evidence, "-j", jobs, "-o", work / "bench.json", "-o", work / "bench.parquet"
        )
        row(f"crashsift -j {jobs}", wall, taken["plain"], f"{peak:.0f}")
    job = Spark(evidence, fresh(work / "bench"))
    run = job.result()
    same(run["report"], work / "bench.json")
    peaks = ", ".join(f"{role} {peak:.0f}" for role, peak in sorted(job.peaks.items()))
    taken["spark"] = sum(job.processor.values())
    row("Spark, two executors", job.wall, taken["spark"], peaks)
    seconds = ", ".join(f"{part} {run[part + '_seconds']:.1f} s" for part in ("walk", "read", "judge"))
    print(f"Spark: {seconds}; judging took {run['judge_processor_seconds']:.1f} s of a processor\n", flush=True)
    return taken


if __name__ == "__main__":
    command, made, work, *steps = sys.argv[1:]
    {"test": test, "bench": bench}[command](Path(made).resolve(), Path(work).resolve(), *steps)
