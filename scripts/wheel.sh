#!/usr/bin/env bash
#
# Builds the Python wheel and tries it in fresh virtual environments: the command, the library, and the README's example.
#
#   scripts/wheel.sh build      makes the wheel in target/wheels
#   scripts/wheel.sh test       tries the wheel that is there
#   scripts/wheel.sh all        both
#
# Needs: cargo to build, Python 3.9 or later with venv, and PyPI for maturin, pandas, pyarrow and mypy. Where one of them can't be
# had, says so and leaves out what needs it.
#
# Environment:
#   PYTHON           the Python with which the wheel is tried (default: python3)
#   WHEEL_PROFILE    cargo's profile (default: dist, as it ships, which takes minutes)
#   CARGO_TARGET_DIR as cargo knows it (default: target)
#
# Exit code: 0 all went well, 1 something failed, 2 called wrongly.

set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."

# A wheel, as it ships, may have this many bytes, and an import may take this many milliseconds longer than none.
readonly most_bytes=15000000 most_import_ms=50

python=${PYTHON:-python3}
profile=${WHEEL_PROFILE:-dist}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
wheels=$target/wheels
work=$target/wheel
readonly python profile target wheels work

say() { printf '%s\n' "wheel.sh: $*" >&2; }
die() {
    say "$@"
    exit 1
}

skip() {
    printf 'skipped: %s\n' "$*"
    exit 0
}

# environment NAME PACKAGE...: a virtual environment with packages; its programs are in $work/NAME/bin.
environment() {
    rm -rf "${work:?}/$1"
    "$python" -m venv "$work/$1"
    [ $# -eq 1 ] || "$work/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

build() {
    mkdir -p "$work"
    if ! [ -x "$work/tools/bin/maturin" ]; then
        environment tools 'maturin>=1.9,<2' || skip "no Python with venv and pip, or no maturin"
    fi
    rm -f "$wheels"/crashsift-*.whl
    "$work/tools/bin/maturin" build --quiet --locked --compatibility linux --profile "$profile" --out "$wheels"
    say "$(wheel): $(stat -c %s "$(wheel)") bytes"
}

wheel() {
    local found=("$wheels"/crashsift-*.whl)
    [ -f "${found[0]}" ] || die "no wheel in $wheels: scripts/wheel.sh build"
    printf '%s' "${found[0]}"
}

# The Python example of the README.
example() { awk '/^```python$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md; }

# import_ms PYTHON: how much more processor time a start with the package takes than one without, milliseconds; the least of ten,
# because other programs make it longer and never shorter.
import_ms() {
    "$1" - <<'PYTHON'
import os, subprocess, sys

def least(code):
    def once():
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system
    return min(once() for _ in range(10))

print(round((least("import crashsift") - least("pass")) * 1000))
PYTHON
}

run_tests() {
    local size took
    size=$(stat -c %s "$(wheel)")
    [ "$profile" != dist ] || [ "$size" -lt "$most_bytes" ] || die "the wheel has $size bytes, more than $most_bytes"

    say "a fresh environment without anything else"
    environment fresh
    PATH=/usr/bin:/bin "$work/fresh/bin/pip" install --quiet --disable-pip-version-check --no-index "$(wheel)"
    PATH=$work/fresh/bin:/usr/bin:/bin crashsift analyze samples >"$work/samples.txt"
    grep -q 'missing-dependency' "$work/samples.txt" || die "crashsift analyze samples does not find the causes"
    took=$(import_ms "$work/fresh/bin/python")
    say "import crashsift takes $took ms"
    [ "$took" -lt "$most_import_ms" ] || die "an import may take $most_import_ms ms"

    say "the README's example"
    [ -n "$(example)" ] || die "README.md has no example in Python"
    example | "$work/fresh/bin/python" -

    say "the tests, with $("$work/fresh/bin/python" --version)"
    "$work/fresh/bin/python" -m unittest discover --quiet --start-directory python/tests

    say "pandas and Arrow"
    if "$work/fresh/bin/pip" install --quiet --disable-pip-version-check 'pandas>=2' 'pyarrow>=10'; then
        "$work/fresh/bin/python" -m unittest discover --quiet --start-directory python/tests -k Frames
    else
        say "skipped: pandas and pyarrow can not be had"
    fi

    say "types"
    if "$work/fresh/bin/pip" install --quiet --disable-pip-version-check mypy; then
        "$work/fresh/bin/mypy" --config-file pyproject.toml -p crashsift -p crashsift_spark
        "$work/fresh/bin/mypy" --config-file pyproject.toml python/tests
    else
        say "skipped: mypy can not be had"
    fi
    say "the wheel has $size bytes and works"
}

case ${1:-} in
    build) build ;;
    test) run_tests ;;
    all)
        build
        run_tests
        ;;
    *)
        sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0" >&2
        exit 2
        ;;
esac
