#!/usr/bin/env bash
# The whole test suite, in an environment of its own outside the work tree; arguments go to pytest.
set -euo pipefail
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
python=$(start private_python.py test lint)
cd "$here/.."
unset PYTHONDONTWRITEBYTECODE # each process of a test would else compile the package anew: twice the time to start
"$python" -m ruff check
"$python" -m ruff format --check
"$python" -m mypy
# Neighbours stay on one core until the other has nothing left: what a module's tests share is then made once.
exec "$python" -m pytest -n auto --dist worksteal "$@"
