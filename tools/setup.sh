#!/usr/bin/env bash
# What `make setup` does: .venv with the pinned versions of the extras named as arguments, and this package in it, editable.
# Steps that are already done are skipped; the output of pip goes to .venv/setup.log and is shown only when a step fails.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-python3}
log=.venv/setup.log

fail() { echo "setup: $1" >&2; exit 1; }
run() { # a step of pip, quiet unless it fails
    .venv/bin/python -m pip "$@" >>"$log" 2>&1 && return
    grep -iE '^ *error' "$log" | grep -v 'Ignored the following' | cut -c 1-200 | tail -n 3 >&2
    fail "pip failed; all of its output is in $log"
}

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    command -v "$python" >/dev/null || fail "$python not found: install Python 3.11 or newer (Debian: python3 python3-venv)"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "Python 3.11 or newer is needed, $python is $("$python" -V 2>&1); name another with make setup PYTHON=..."
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "the venv module is missing: install Debian's python3-venv (or a complete Python 3.11+)"
    echo "setup: creating .venv with $("$python" -V)"
    "$python" -m venv --clear .venv || fail "could not create .venv"
fi
: >"$log"

pins=(-r requirements/build.txt -r requirements/base.txt)
for extra in "$@"; do pins+=(-r "requirements/$extra.txt"); done
if [ ! -e .venv/.pins ] || [ -n "$(find requirements -name '*.txt' -newer .venv/.pins)" ] || [ "$(cat .venv/.pins)" != "$*" ]; then
    echo "setup: installing the pinned packages of: base $* (minutes on a new machine, seconds after)"
    run install --disable-pip-version-check "${pins[@]}"
    echo "$*" >.venv/.pins
fi
echo "setup: installing motecast"
run install --disable-pip-version-check --no-deps --no-build-isolation -e .
