"""The functions that Spark's executors run, without Spark. Run by scripts/wheel.sh where pyarrow can be had."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List
from unittest import mock

import crashsift

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def poisoned(files: List[str]) -> List[List[bytes]]:
    """A reader that one file ends, as a defect would that no handler catches."""
    from crashsift_spark.reading import gather

    if any(os.path.basename(file) == "poison.dmp" for file in files):
        os.kill(os.getpid(), signal.SIGKILL)
    return gather(files)


class SparkFrames(unittest.TestCase):
    def setUp(self) -> None:
        try:
            import pyarrow
        except ImportError:
            self.skipTest("no pyarrow")
        self.pa = pyarrow

    def test_the_three_functions_make_the_report_of_one_run(self) -> None:
        from crashsift_spark.judging import judging
        from crashsift_spark.reading import reading
        from crashsift_spark.walking import UNITS, units, walking

        wanted, passed_over = units(str(SAMPLES))
        self.assertEqual(passed_over, [])
        table = self.pa.table({"machine": [one[0] for one in wanted], "path": [one[1] for one in wanted]}, UNITS)
        manifest = list(walking()(table.to_batches(max_chunksize=7)))
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            evidence = reading(batch_files=5)(manifest)
            [outcome] = judging(["-o", report], folder)(evidence)
            self.assertEqual(outcome.to_pylist()[0]["exit"], 0, outcome.to_pylist())
            self.assertEqual(Path(report).read_text(), crashsift.analyze(SAMPLES).to_json())
            self.assertEqual(os.listdir(folder), ["report.json"])

    def test_links_are_listed_and_not_followed(self) -> None:
        from crashsift_spark.walking import UNITS, units, walking

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "PC-1").mkdir()
            (Path(folder) / "PC-1" / "link.dmp").symlink_to("nowhere")
            (Path(folder) / "PC-2").symlink_to("PC-1")
            wanted, passed_over = units(folder)
            self.assertEqual([machine for machine, _ in wanted], ["PC-1"])
            self.assertIn(b"not followed", passed_over[0][2])
            batch = self.pa.RecordBatch.from_pylist([{"machine": "PC-1", "path": wanted[0][1]}], UNITS)
            [row] = [row for found in walking()([batch]) for row in found.to_pylist()]
            self.assertIn(b"not followed", row["artifact"])

    @unittest.skipIf(os.name == "nt", "signals of Unix")
    def test_a_file_that_ends_its_process_is_given_up(self) -> None:
        from crashsift_spark.reading import reading
        from crashsift_spark.walking import UNITS, walking

        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.txt", "poison.dmp", "z.txt"):
                (Path(folder) / name).write_text("exit code 0xC0000409")
            unit = self.pa.RecordBatch.from_pylist([{"machine": "", "path": os.fsencode(folder)}], UNITS)
            here = mock.patch.object(sys, "path", [str(Path(__file__).parent), *sys.path])
            repeated = mock.patch("crashsift_spark.reading._is_repeated", return_value=True)
            with here, repeated:
                rows = [row for batch in reading("test_spark:poisoned")(walking()([unit])) for row in batch.to_pylist()]
        self.assertEqual([row["quarantined"] for row in rows], [False, True, False])
        self.assertIn(b"ended the process 2 times", rows[1]["artifacts"][0])


if __name__ == "__main__":
    unittest.main()
