#!/usr/bin/env bash
# Bring the pages up to date and commit them, with the options of `soul compile`.
set -eu
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=$(cd "${self%"${self##*/}"}." && pwd)
. "$here/start.sh"
start soul.py compile --apply "$@"
