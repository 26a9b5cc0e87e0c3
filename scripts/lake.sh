#!/usr/bin/env bash
#
# Tries the tables of `-f parquet` with the engines that read them: pandas and DuckDB, and Spark where Java is installed. Asks the
# questions of docs/fleet in each engine, over the samples and over a made fleet whose truth is known.
#
#   scripts/lake.sh test [MACHINES]     the made fleet has 400 machines, or so many
#
# Needs: cargo, the environment that scripts/fleet.sh makes (Python 3.10 or later with venv; PyPI for duckdb, pandas, pyarrow and pyspark),
# and Java for Spark. Where one of them can't be had, says so and leaves out what needs it.
#
# Environment:
#   CRASHSIFT        the program (default: built by cargo)
#   PYTHON           the Python of the environment (default: python3)
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$target/lake
readonly target work

say() { printf '%s\n' "lake.sh: $*" >&2; }

skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

run_tests() {
    local machines=$1 program python
    mkdir -p "$work"
    python=$(scripts/fleet.sh environment) || skip "no Python with venv and pip, or no duckdb, pandas, pyarrow and pyspark"
    if [ -z "${CRASHSIFT:-}" ]; then
        cargo build --quiet --locked --bin crashsift
        program=$target/debug/crashsift
    else
        program=$(realpath "$CRASHSIFT")
    fi

    say "the samples"
    "$program" analyze -q -o "$work/samples.parquet" -o "$work/samples.json" samples
    "$python" scripts/lake.py samples "$work/samples.parquet" "$work/samples.json"

    say "a made fleet of $machines machines"
    rm -rf "${work:?}/made"
    cargo run --quiet --locked -p xtask -- fleet --machines "$machines" --days 60 --seed 1 -o "$work/made"
    "$program" analyze -q -o "$work/fleet.parquet" -o "$work/fleet.json" "$work/made/evidence"
    "$python" scripts/lake.py answers "$work/fleet.parquet" "$work/made/truth" "$work/answers.json"

    say "Spark"
    command -v java >/dev/null || { say "skipped: no Java for Spark"; return 0; }
    "$python" scripts/lake.py spark "$work/fleet.parquet" "$work/answers.json"
}

case ${1:-} in
    test) run_tests "${2:-400}" ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
