"""The package as people use it: the command and the library. Run by scripts/wheel.sh with the installed wheel."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, List, Tuple

import crashsift

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = PROJECT / "samples"
ZLIBWAPI = SAMPLES / "delay-load-zlibwapi"
COMMAND = Path(sys.executable).parent / ("crashsift.exe" if os.name == "nt" else "crashsift")


def crashsift_command(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([str(COMMAND), *arguments], capture_output=True, cwd=PROJECT, timeout=300, **options)


def analyzed(path: Path) -> str:
    return crashsift.analyze(path).to_json()


class Command(unittest.TestCase):
    def test_it_analyzes(self) -> None:
        ended = crashsift_command("analyze", "samples/delay-load-zlibwapi")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(b"cuDNN could not load zlibwapi.dll", ended.stdout)

    def test_its_exit_codes_are_those_of_the_program(self) -> None:
        for arguments, code in [
            (["--version"], 0),
            (["analyze", "samples/delay-load-zlibwapi", "--fail-on", "any"], 1),
            (["analyze", "--no-such-flag"], 2),
            (["analyze", "no-such-folder"], 4),
        ]:
            self.assertEqual(crashsift_command(*arguments).returncode, code, arguments)

    def test_a_module_runs_as_the_command_does(self) -> None:
        ended = subprocess.run([sys.executable, "-m", "crashsift", "--version"], capture_output=True, check=True)
        self.assertEqual(ended.stdout.decode().split(), ["crashsift", crashsift.__version__])

    def test_text_is_read_from_standard_input(self) -> None:
        ended = crashsift_command("analyze", "--ticket", "-", "-f", "json", input=b"exit code -1073740791 (0xC0000409)")
        self.assertEqual(json.loads(ended.stdout)["summary"]["incidents"], 1)

    @unittest.skipIf(os.name == "nt", "signals of Unix")
    def test_a_closed_pipe_is_success(self) -> None:
        shown = subprocess.run(
            ["bash", "-c", f"'{COMMAND}' analyze -q samples | head -n 1; echo ${{PIPESTATUS[0]}}"],
            capture_output=True, cwd=PROJECT, check=True,
        )
        self.assertEqual(shown.stdout.split()[-1], b"0", shown.stderr)

    @unittest.skipIf(os.name == "nt", "signals of Unix")
    def test_an_interrupt_ends_it_at_once(self) -> None:
        waiting = subprocess.Popen(
            [str(COMMAND), "analyze", "--ticket", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        time.sleep(3)
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=20)
        self.assertEqual(waiting.returncode, -signal.SIGINT)
        self.assertEqual((out, err), (b"", b""))

    def test_a_kept_answer_is_that_of_this_version(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            first, second = (
                crashsift_command("analyze", "samples/stack-overflow", "-f", "json", "--cache", cache) for _ in range(2)
            )
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(second.returncode, 0)


class Library(unittest.TestCase):
    def test_a_report_is_a_sequence_of_incidents(self) -> None:
        report = crashsift.analyze(ZLIBWAPI)
        self.assertEqual(len(report), 1)
        (incident,) = report
        self.assertEqual(incident["verdict"]["cause"], "missing-dependency")
        self.assertEqual(incident, report[0])
        self.assertEqual(incident, report[-1])
        self.assertEqual(report.to_dict()["incidents"], [incident])
        with self.assertRaises(IndexError):
            report[1]

    def test_json_is_that_of_the_command(self) -> None:
        ended = crashsift_command("analyze", str(SAMPLES), "-f", "json")
        self.assertEqual(crashsift.analyze(SAMPLES).to_json().encode(), ended.stdout)

    def test_formats_are_those_of_the_command(self) -> None:
        report = crashsift.analyze([str(ZLIBWAPI)])
        for name, made in [
            ("jsonl", report.to_jsonl()),
            ("markdown", report.to_markdown()),
            ("html", report.to_html()),
            ("text", report.to_text()),
            ("csv", report.to_csv()),
        ]:
            ended = crashsift_command("analyze", str(ZLIBWAPI), "-f", name)
            self.assertEqual(made.encode(), ended.stdout.replace(b"\xef\xbb\xbf", b""), name)

    def test_paths_are_of_any_kind(self) -> None:
        as_text, as_path, as_list = (
            crashsift.analyze(paths).to_json() for paths in (str(ZLIBWAPI), ZLIBWAPI, iter([ZLIBWAPI]))
        )
        self.assertEqual(as_text, as_path)
        self.assertEqual(as_text, as_list)

    def test_a_missing_file_is_in_the_report(self) -> None:
        report = crashsift.analyze("no-such-file.dmp").to_dict()
        self.assertEqual([artifact["status"] for artifact in report["artifacts"]], ["failed"])

    def test_pasted_text_is_read(self) -> None:
        report = crashsift.analyze(texts={"ticket 17": "Process finished with exit code -1073740791 (0xC0000409)"})
        self.assertEqual(report[0]["exception"]["code"], "0xC0000409")
        self.assertEqual(report.to_dict()["artifacts"][0]["path"], "ticket 17")

    def test_incidents_are_limited_by_time(self) -> None:
        day = crashsift.analyze(ZLIBWAPI)[0]["time"][:10]
        limits: List[Tuple[Any, Any, int]] = [
            (None, day, 1),
            (date.fromisoformat(day), date.fromisoformat(day), 1),
            (datetime.fromisoformat(day + "T23:59:59"), None, 0),
            (None, datetime(2000, 1, 1, tzinfo=timezone.utc), 0),
            (day + "T00:00:00Z", None, 1),
        ]
        for since, until, count in limits:
            self.assertEqual(len(crashsift.analyze(ZLIBWAPI, since=since, until=until)), count, (since, until))
        with self.assertRaisesRegex(ValueError, "since"):
            crashsift.analyze(ZLIBWAPI, since="yesterday")
        with self.assertRaisesRegex(ValueError, "min_confidence"):
            crashsift.analyze(ZLIBWAPI, min_confidence=5)

    def test_rules_are_loaded_once_or_given_by_path(self) -> None:
        rules = crashsift.Rules()
        self.assertGreater(len(rules), 100)
        self.assertEqual(crashsift.analyze(ZLIBWAPI, rules).to_json(), crashsift.analyze(ZLIBWAPI).to_json())
        own = PROJECT / "tests" / "rule_sets" / "own"
        self.assertGreater(len(crashsift.Rules(own)), len(rules))
        self.assertLess(len(crashsift.Rules(own, builtin=False)), len(rules))
        self.assertEqual(len(crashsift.analyze(ZLIBWAPI, rules=own).to_dict()["rulesets"]), 2)

    def test_mistakes_in_rules_are_shown_in_their_file(self) -> None:
        broken = PROJECT / "tests" / "broken_rules" / "fact-unknown.yaml"
        with self.assertRaises(crashsift.RulesError) as raised:
            crashsift.analyze(ZLIBWAPI, rules=broken)
        self.assertIn("fact-unknown.yaml", str(raised.exception))
        self.assertIn("^", str(raised.exception))

    def test_codes_are_explained(self) -> None:
        for code in (-1073740791, 3221226505, 0xC0000409, "0xC0000409", "exit code -1073740791 (0xC0000409)"):
            explained = crashsift.explain(code)
            self.assertEqual(explained[0]["readings"][0]["name"], "STATUS_STACK_BUFFER_OVERRUN", code)
        with self.assertRaises(ValueError):
            crashsift.explain("no code at all")

    def test_facts_are_those_of_the_command(self) -> None:
        (dump,) = ZLIBWAPI.glob("*.dmp")
        ended = crashsift_command("inspect", str(dump), "-f", "json")
        self.assertEqual(crashsift.inspect(dump), json.loads(ended.stdout))

    def test_other_threads_go_on(self) -> None:
        counted, ended = [0], threading.Event()

        def count() -> None:
            while not ended.is_set():
                counted[0] += 1

        other = threading.Thread(target=count)
        other.start()
        before = counted[0]
        crashsift.analyze(SAMPLES)
        during = counted[0] - before
        ended.set()
        other.join()
        self.assertGreater(during, 1000)

    def test_progress_ends_with_all_files(self) -> None:
        calls: List[Tuple[int, int]] = []
        report = crashsift.analyze(SAMPLES / "stack-overflow", progress=lambda read, all: calls.append((read, all)))
        self.assertEqual(calls[-1][0], calls[-1][1])
        self.assertGreaterEqual(len(report.to_dict()["artifacts"]), calls[-1][1])

    def test_an_interrupt_ends_an_analysis(self) -> None:
        def interrupt(read: int, all: int) -> None:
            signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            crashsift.analyze(SAMPLES, progress=interrupt)

    @unittest.skipIf(os.name == "nt", "processes of Unix")
    def test_forked_processes_analyze_too(self) -> None:
        here = crashsift.analyze(ZLIBWAPI).to_json()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(analyzed, [ZLIBWAPI] * 2, chunksize=1), [here] * 2)

    def test_what_a_report_prints_is_short(self) -> None:
        self.assertEqual(repr(crashsift.analyze(ZLIBWAPI)), "<crashsift.Report: 1 incidents>")


class Frames(unittest.TestCase):
    """The samples in other packages' tables, where these are installed."""

    def test_pandas(self) -> None:
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        report = crashsift.analyze(SAMPLES)
        frame = report.to_pandas()
        self.assertEqual(len(frame), len(report))
        self.assertTrue(isinstance(frame["time"].dtype, pandas.DatetimeTZDtype))
        self.assertEqual(list(frame["cause"]), [incident["verdict"]["cause"] for incident in report])
        self.assertEqual(
            [None if pandas.isna(value) else int(value) for value in frame["pid"]],
            [incident.get("process", {}).get("pid") for incident in report],
        )

    def test_arrow(self) -> None:
        try:
            import pyarrow
        except ImportError:
            self.skipTest("no pyarrow")
        report = crashsift.analyze(SAMPLES)
        table = report.to_arrow()
        self.assertEqual(table.num_rows, len(report))
        self.assertEqual(table.schema.field("time").type, pyarrow.timestamp("ns", tz="UTC"))
        self.assertEqual(table["incident_id"].to_pylist(), [incident["id"] for incident in report])
        self.assertEqual(
            table["process"].to_pylist(), [incident.get("process", {}).get("name") for incident in report]
        )

    def test_parquet(self) -> None:
        report = crashsift.analyze(SAMPLES)
        for table in crashsift.TABLES:
            self.assertEqual(report.to_parquet(table)[:4], b"PAR1")
        with self.assertRaisesRegex(ValueError, "incidents, evidence"):
            report.to_parquet("else")
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("no pyarrow")
        import io

        rows = pyarrow.parquet.read_table(io.BytesIO(report.to_parquet("incidents")))
        self.assertEqual(set(rows["id"].to_pylist()), {incident["id"] for incident in report})


if __name__ == "__main__":
    unittest.main()
