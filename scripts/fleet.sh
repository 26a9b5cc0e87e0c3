#!/usr/bin/env bash
#
# The evidence of a whole fleet on Apache Spark (docs/spark.md), from a fresh machine to the first report.
#
#   scripts/fleet.sh demo         makes a small fleet, and reads it with two executors
#   scripts/fleet.sh test         compares Spark's report with one run of the program, also with lost executors, files that end processes,
#                                 a second night, evidence in an object store, and on other engines
#   scripts/fleet.sh bench        measures both: files per second and processor, memory
#   scripts/fleet.sh environment  makes the environment of Python alone, and prints its Python: scripts/lake.sh uses it
#
# Needs: cargo, Python 3.10 or later with venv, Java 17, and PyPI for pyspark, pandas, pyarrow and duckdb; `test` also takes moto, pysail
# and daft from there, and leaves out what needs those that can't be had. Where one of the others can't be had, says so and does
# nothing.
#
# Environment:
#   MACHINES         size of the fleet (default: 100 for demo and test, 2000 for bench; five files a machine)
#   DAYS             days that its logs cover (default: 60)
#   STEPS            the steps of test (default: all; scripts/fleet/check.py lists them)
#   SPARK_MASTER     Spark's master for test and bench (default: local-cluster[2,1,1024], which are two executors; the step `killed` needs
#                    them, and local[2] starts faster)
#   PYTHON           the Python for Spark (default: python3)
#   WHEEL            a wheel of crashsift to use instead of building the package with cargo (for bench as it ships, else for debugging)
#   CARGO_TARGET_DIR as cargo knows it (default: target)
#
# Exit code: 0 all went well or is skipped, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

python=${PYTHON:-python3}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$target/fleet
spark=$work/spark/bin/python
readonly python target work spark

say() { printf '%s\n' "fleet.sh: $*" >&2; }
skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

# environment NAME PACKAGE...: a virtual environment with packages; those that are there already cost nothing.
environment() {
    mkdir -p "$work"
    [ -x "$work/$1/bin/pip" ] || "$python" -m venv "$work/$1" >&2 || return 1
    "$work/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}" >&2
}

# The environment for everything that is tried with engines for tables.
spark_environment() { environment spark 'pyspark>=4,<5' 'pandas>=2.2' 'pyarrow>=15' duckdb "$@"; }

# prepare PROFILE: the environment, and the package in the folder of PYTHONPATH.
prepare() {
    java -version >/dev/null 2>&1 || skip "no Java (apt-get install openjdk-17-jre-headless)"
    spark_environment || skip "no Python with venv, or no pyspark, pandas, pyarrow and duckdb"
    local package=$work/package
    rm -rf "$package"
    if [ -n "${WHEEL:-}" ]; then
        "$spark" -m pip install --quiet --disable-pip-version-check --no-deps --target "$package" "$WHEEL"
    else
        # For debugging with the whole workspace: libraries have the features with which `cargo test --workspace` has compiled them.
        local of=(--workspace --lib --bins --tests)
        [ "$1" = dev ] || of=(--package crashsift-python)
        PYO3_BUILD_EXTENSION_MODULE=1 cargo build --quiet --locked --profile "$1" "${of[@]}" >&2
        mkdir -p "$package"
        cp -r python/crashsift python/crashsift_spark "$package"
        cp "$target/${1/dev/debug}/lib_crashsift.so" "$package/crashsift/_crashsift.abi3.so"
    fi
    export PYTHONPATH=$package
}

# is_step STEP: whether it is among those of the test.
is_step() { [[ " ${STEPS:-$1} " == *" $1 "* ]]; }

# made MACHINES: the folder of a fleet.
made() {
    local folder=$work/made-$1-${DAYS:-60} make=(cargo run --quiet --locked -p xtask --)
    [ ! -x "$target/debug/xtask" ] || make=("$target/debug/xtask")
    [ -d "$folder/truth" ] || { rm -rf "$folder"; "${make[@]}" fleet --machines "$1" --days "${DAYS:-60}" -o "$folder" >&2; }
    printf '%s' "$folder"
}

case ${1:-} in
    demo)
        prepare dev
        folder=$(made "${MACHINES:-100}")
        rm -rf "$work/demo"
        "$spark" -m crashsift_spark "$folder/evidence" -o "$work/demo" --master 'local-cluster[2,1,1024]'
        say "the report is $work/demo/reports/run-0001.json"
        ;;
    test)
        prepare dev
        if is_step store; then
            spark_environment 'moto[server]' || say "moto can not be had"
        fi
        if is_step portability; then
            # Sail 0.7 refuses clients of Spark 4.3.
            environment sail pysail 'pyspark-client>=4,<4.3' pyarrow || say "pysail can not be had"
            environment daft daft pyarrow || say "daft can not be had"
        fi
        # shellcheck disable=SC2086 # several steps
        "$spark" scripts/fleet/check.py test "$(made "${MACHINES:-100}")" "$work" ${STEPS:-}
        ;;
    bench)
        prepare dist
        "$spark" scripts/fleet/check.py bench "$(made "${MACHINES:-2000}")" "$work"
        ;;
    environment)
        spark_environment || exit 1
        printf '%s\n' "$spark"
        ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
