"""The functions that Spark's executors run, without Spark. Run by scripts/wheel.sh where pyarrow can be had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, List
from unittest import mock

import crashsift

if TYPE_CHECKING:
    from crashsift_spark.objects import Artifacts

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def poisoned(files: List[str]) -> List[Artifacts]:
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

    def test_what_the_functions_read_makes_the_report_of_one_run(self) -> None:
        from crashsift_spark.reading import reading
        from crashsift_spark.walking import UNITS, units, walking
        from pyarrow import parquet

        wanted, passed_over = units(str(SAMPLES))
        self.assertEqual(passed_over, [])
        table = self.pa.table({"machine": [one[0] for one in wanted], "path": [one[1] for one in wanted]}, UNITS)
        manifest = list(walking()(table.to_batches(max_chunksize=7)))
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            for number, batch in enumerate(reading(batch_files=5)(manifest)):
                rows = self.pa.Table.from_batches([batch])
                os.makedirs(os.path.join(folder, f"run-{number % 2}"), exist_ok=True)
                parquet.write_table(rows, os.path.join(folder, f"run-{number % 2}", f"part-{number}.parquet"))
            folders = [os.path.join(folder, f"run-{number}") for number in (0, 1)]
            command = [sys.executable, "-m", "crashsift", "merge", *folders, "-o", report]
            self.assertEqual(subprocess.run(command).returncode, 0)
            self.assertEqual(Path(report).read_text(), crashsift.analyze(SAMPLES).to_json())

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

    def test_objects_are_read_from_copies_with_the_names_of_their_urls(self) -> None:
        from crashsift_spark import Objects
        from crashsift_spark.reading import reading
        from crashsift_spark.walking import UNITS, walking

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "PC-1" / "logs").mkdir(parents=True)
            for name in ("PC-1/logs/a.txt", "PC-1/gone.txt", "top.txt"):
                (Path(folder) / name).write_text("exit code 0xC0000409")
            root = Path(folder).as_uri()
            objects = Objects(f"{root}/")
            wanted, passed_over = objects.units()
            self.assertEqual(sorted(wanted), [("", f"{root}/top.txt".encode()), ("PC-1", f"{root}/PC-1".encode())])
            self.assertEqual(passed_over, [])
            units = self.pa.RecordBatch.from_pylist([{"machine": one[0], "path": one[1]} for one in wanted], UNITS)
            manifest = list(walking(objects)([units]))
            (Path(folder) / "PC-1" / "gone.txt").unlink()
            rows = [row for batch in reading(objects=objects)(manifest) for row in batch.to_pylist()]
            (read,) = crashsift.analyze(Path(folder) / "PC-1" / "logs").to_dict()["artifacts"]
        found = {row["path"].decode(): (row["changed"], json.loads(row["artifact"])) for row in rows}
        self.assertEqual(set(found), {f"{root}/{name}" for name in ("PC-1/logs/a.txt", "PC-1/gone.txt", "top.txt")})
        changed, artifact = found[f"{root}/PC-1/logs/a.txt"]
        self.assertEqual(artifact["path"], f"{root}/PC-1/logs/a.txt")
        self.assertEqual((artifact["kind"], artifact["status"], artifact["bytes"]), (read["kind"], read["status"], read["bytes"]))
        self.assertGreater(changed, 0)
        # It is tried again by the next run.
        changed, artifact = found[f"{root}/PC-1/gone.txt"]
        self.assertEqual((changed, artifact["status"], artifact["path"]), (None, "failed", f"{root}/PC-1/gone.txt"))

    def test_names_that_lead_out_of_a_folder_are_not_used(self) -> None:
        from crashsift_spark import Objects
        from pyarrow.fs import FileInfo, FileType

        objects = Objects("s3://bucket/fleet?region=eu-west-1")
        names = ("PC-1/a.dmp", "PC-1/../../a.dmp", "PC-1//a.dmp", "PC-1/./a.dmp")
        listed = [FileInfo(f"bucket/fleet/{name}", FileType.File, size=1, mtime_ns=1) for name in names]
        with mock.patch.object(Objects, "_listed", return_value=listed):
            rows = list(objects.found("PC-1", b"s3://bucket/fleet/PC-1"))
        self.assertEqual([row["path"].decode() for row in rows], [f"s3://bucket/fleet/{name}" for name in names])
        self.assertEqual(["artifact" in row for row in rows], [False, True, True, True])
        for url in ("s3://key:secret@bucket/fleet", "s3://"):
            with self.assertRaises(ValueError):
                Objects(url)

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
        self.assertIn(b"ended the process 2 times", rows[1]["artifact"])


if __name__ == "__main__":
    unittest.main()
