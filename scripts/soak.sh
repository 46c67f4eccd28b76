#!/usr/bin/env bash
# Many clones on one remote under faults, for as long as it takes; arguments go to tests/history/run.py (--help).
set -euo pipefail
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
python=$(start private_python.py test lint)
cd "$here/.."
PYTHONPATH=src:tests exec "$python" -m history.run "$@"
