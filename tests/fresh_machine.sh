#!/usr/bin/env bash
# The README's first command as a stranger types it: in a clone without a remote, with an empty home, and nothing
# on the machine but Python, git and the package registry. Usage: tests/fresh_machine.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

fail() {
    printf 'fresh machine: %s\n' "$1" >&2
    cat "$box/said" >&2
    exit 1
}

# How this machine reaches its registry is the one thing that a stranger's machine has in common with it.
registry=()
while IFS= read -r setting; do registry+=("$setting"); done < <(
    env | grep -E '^(PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|CERT|TRUSTED_HOST|PROXY)|SSL_CERT_FILE|[A-Za-z]+_(proxy|PROXY))=' || true
)

fresh() {
    (cd "$box/hub" && env -i HOME="$box/home" PATH=/usr/local/bin:/usr/bin:/bin ${registry[@]+"${registry[@]}"} "$@")
}

remember() {
    local started=$SECONDS
    fresh bash scripts/quick_share.sh --source my-laptop "$1" >"$box/said" 2>&1 || fail "quick_share.sh ended with $?"
    grep -qi 'kept here' "$box/said" || fail "it does not say 'kept here'"
    fresh grep -rq -- "$2" canonical || fail "'$2' is not on any page"
    [ -z "$(git -C "$box/hub" status --short)" ] || fail "it leaves changes: $(git -C "$box/hub" status --short)"
    seconds=$((SECONDS - started))
}

mkdir "$box/home"
git clone -q "$root" "$box/hub"
git -C "$box/hub" checkout -q -B main
git -C "$box/hub" remote remove origin

remember 'Prefers pnpm over npm in every project, because of the shared store.' pnpm
grep -q 'setting up' "$box/said" || fail 'the first run does not say that it sets up'
printf 'fresh machine: set up, recorded and compiled in %s s\n' "$seconds"

remember '用户习惯在晚上写代码，白天开会。' 晚上写代码
! grep -q 'setting up' "$box/said" || fail 'the second run sets up again'
printf 'fresh machine: recorded and compiled again in %s s\n' "$seconds"

(cd / && env -i HOME="$box/home" PATH=/usr/local/bin:/usr/bin:/bin \
    python3 "$box/hub/scripts/validate_sources.py" >"$box/said" 2>&1) || fail 'python3 scripts/validate_sources.py fails'
