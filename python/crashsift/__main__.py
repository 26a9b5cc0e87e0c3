"""The command ``crashsift``: the program itself, in this process."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Runs the program on the process's command line and ends the process with its exit code."""
    # As in any other program, an interrupt ends the process at once: Python would wait for the program to return.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from . import _crashsift

    code = _crashsift.run(["crashsift", *sys.argv[1:]], _crashsift.__file__)
    sys.exit(code)


if __name__ == "__main__":
    main()
