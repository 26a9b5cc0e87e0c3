"""A process that reads one file after the other, for :mod:`crashsift_spark.reading`: it may end, its caller goes on."""

from __future__ import annotations

import os
import pickle
import sys

from .reading import _function


def main() -> None:
    read = _function(sys.argv[1])
    answers = os.fdopen(os.dup(1), "wb")
    # Nothing that is printed gets among the answers.
    os.dup2(2, 1)
    while True:
        try:
            file = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(read([file])[0], answers)
        answers.flush()


if __name__ == "__main__":
    main()
