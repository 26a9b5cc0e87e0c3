"""Readers that stand in for crashsift_spark's own in tests: one that takes its time, one that files end."""

import os
import signal
import time

from crashsift_spark.reading import gather


def slow(files):
    """Reads, and waits a moment for each file, so that an executor can be ended meanwhile."""
    time.sleep(0.02 * len(files))
    return gather(files)


def poisoned(files):
    """Reads, and ends the process at files of one name, as a defect of a reader would that no handler catches."""
    if any(os.path.basename(file) == "poison.dmp" for file in files):
        os.kill(os.getpid(), signal.SIGKILL)
    return gather(files)
