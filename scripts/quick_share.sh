#!/usr/bin/env bash
# Record a memory and pass it on: quick_share.sh [OPTIONS] "text"
set -eu
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
start quick_share.py "$@"
