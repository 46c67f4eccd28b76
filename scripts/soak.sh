#!/usr/bin/env bash
# Many clones on one remote under faults, for as long as it takes (tests/history/run.py); with `aimed` as the first
# argument one command, hit by every fault in turn (tests/history/aimed.py). Arguments go there: --help.
set -euo pipefail
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
python=$(start private_python.py test lint)
cd "$here/.."
module=history.run
if [ "${1-}" = aimed ]; then
    module=history.aimed
    shift
fi
PYTHONPATH=$PWD/src:$PWD/tests exec "$python" -m "$module" "$@"
