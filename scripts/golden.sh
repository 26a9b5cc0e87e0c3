#!/usr/bin/env bash
#
# A golden run: runs crashsift with all commands and options, records its output and the files that it writes, and prints
# the differences to the record of another program. For changes that must not change any output.
#
#   scripts/golden.sh compare OLD NEW [DIR]   records both programs and prints every difference between them; OLD's
#                                             record in DIR is used again when program, inputs and script are the same
#   scripts/golden.sh record PROGRAM DIR      records a program into DIR
#   scripts/golden.sh steps                   prints the names of all steps
#
# Options, in any place:
#   --only PATTERN   only steps whose name contains PATTERN, or fits it when it has `*` or `?`; can be given again
#   --inputs TREE    the checkout whose samples, rules and broken rules both programs read (default: this one);
#                    each program keeps its built-in rules
#   --jobs N         number of steps at a time (default: the number of processors)
#   --lines N        number of lines printed of each difference (default: 12)
#   --again          records OLD anew, too
#
# DIR is ~/.cache/crashsift-golden where none is given; it should be outside of the repository. A record is a folder
# with one file for each step: NAME.gz is a text with every command of the step, its exit code, standard output, standard
# error, and the files that the step wrote. After a comparison DIR keeps those steps of NEW that differ; the last line
# printed names the folder.
#
# Third-party evidence is read where it is present: the folders that CRASHSIFT_CORPUS, CRASHSIFT_CASES and
# CRASHSIFT_ARTIFACT_CASES name (default: corpus, cases and artifact-cases in the folder `shared` beside the checkout),
# and CRASHSIFT_FLEETS, the fleets that `CRASHSIFT_FLEETS=FOLDER cargo test whatever_machines_leave` keeps there.
#
# Programs run in a temporary folder with an environment of their own, under the name `crashsift`. In records, words
# replace the path of that folder, the program's version number and the names of cache files.
#
# Needs Python 3.9 or later and diff. Exit code: 0 nothing differs, 1 something does, 2 called wrongly or not completed.

set -euo pipefail

# -B: leaves no compiled files in the repository.
exec python3 -B "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/golden/main.py" "$@"
