#!/usr/bin/env bash
# Real agent programs, joined to a hub made of what is committed here, talking to a model on loopback
# (tests/real_clients). They are installed from npm on first use; where that cannot be, all of it is skipped.
# Arguments go to pytest.
set -euo pipefail
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
python=$(start private_python.py test lint) # the environment that test.sh has: where both run, it is made once
cd "$here/.."
export PYTHONPATH=$PWD/src:$PWD/tests
REAL_CLIENTS_COMMANDS=$("$python" -m real_clients.installing) || {
    code=$?
    [ "$code" = 69 ] || exit "$code"
    echo "real clients: SKIPPED, nothing of them was tried"
    exit 0
}
export REAL_CLIENTS_COMMANDS
exec "$python" -m pytest tests/real_clients -m programs "$@"
