#!/usr/bin/env bash
#
# The evidence of a whole fleet on Apache Spark (docs/spark.md), from a fresh machine to the first report.
#
#   scripts/fleet.sh demo     makes a small fleet, and reads it with two executors
#   scripts/fleet.sh test     compares Spark's report with one run of the program, also with lost executors and files that end processes
#   scripts/fleet.sh bench    measures both: files per second and processor, memory
#
# Needs: cargo, Python 3.10 or later with venv, Java 17, and PyPI for maturin, pyspark, pandas and pyarrow. Where one of them can't be
# had, says so and does nothing.
#
# Environment:
#   MACHINES         size of the fleet (default: 100 for demo and test, 2000 for bench; five files a machine)
#   DAYS             days that its logs cover (default: 60)
#   PYTHON           the Python for Spark (default: python3)
#   WHEEL_PROFILE    cargo's profile for the program in Python's package (default: dev for demo and test, dist for bench)
#   WHEEL            a wheel of crashsift to use instead of building one
#   CARGO_TARGET_DIR as cargo knows it (default: target)
#
# Exit code: 0 all went well or is skipped, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

python=${PYTHON:-python3}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$target/fleet
readonly python target work

say() { printf '%s\n' "fleet.sh: $*" >&2; }
skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

prepare() {
    java -version >/dev/null 2>&1 || skip "no Java (apt-get install openjdk-17-jre-headless)"
    mkdir -p "$work"
    if ! [ -x "$work/venv/bin/pip" ]; then
        "$python" -m venv "$work/venv" || skip "no Python with venv"
    fi
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'pyspark>=4,<5' 'pandas>=2.2' 'pyarrow>=15' ||
        skip "pyspark, pandas and pyarrow can not be had"
    local wheel=${WHEEL:-}
    if [ -z "$wheel" ]; then
        WHEEL_PROFILE=${WHEEL_PROFILE:-$1} scripts/wheel.sh build
        wheel=$(echo "$target"/wheels/crashsift-*.whl)
    fi
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
}

# made MACHINES: the folder of a fleet.
made() {
    local folder=$work/made-$1-${DAYS:-60}
    [ -d "$folder/truth" ] || { rm -rf "$folder"; cargo xtask fleet --machines "$1" --days "${DAYS:-60}" -o "$folder" >&2; }
    printf '%s' "$folder"
}

case ${1:-} in
    demo)
        prepare dev
        folder=$(made "${MACHINES:-100}")
        rm -rf "$work/demo"
        "$work/venv/bin/python" -m crashsift_spark "$folder/evidence" -o "$work/demo" --master 'local-cluster[2,1,1024]'
        say "the report is $work/demo/reports/run-0001.json"
        ;;
    test)
        prepare dev
        "$work/venv/bin/python" scripts/fleet/check.py test "$(made "${MACHINES:-100}")" "$work"
        ;;
    bench)
        prepare dist
        "$work/venv/bin/python" scripts/fleet/check.py bench "$(made "${MACHINES:-2000}")" "$work"
        ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
