"""soul.yaml: what is wrong in it, whose template the hub still is, and which toolkit it names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent_soul.config import CONFIG_NAME
from agent_soul.doctor.finding import Finding
from agent_soul.errors import SoulError


def check_settings(warnings: Sequence[str], error: SoulError | None) -> Iterator[Finding]:
    """Yield why soul.yaml cannot be read, or what in it has no effect."""
    if error:
        yield Finding("settings", CONFIG_NAME, error.message, "no page can be made without it", error.hint)
    for warning in warnings:
        yield Finding("settings", CONFIG_NAME, warning, "it has no effect as it stands", f"mend it in {CONFIG_NAME}")


def check_template(*, is_template: bool, remote_is_template: bool) -> Iterator[Finding]:
    """Yield that nothing is shared because of the template."""
    if is_template:
        what = "`template: true`: this is the template, or a copy that was never made a hub of its own"
        yield Finding("template", CONFIG_NAME, what, "nothing is shared from it", "`soul init --here`")
    if not is_template and remote_is_template:
        what = "the remote branch is still the template's (its soul.yaml says `template: true`)"
        mend = "`git remote set-url origin URL` with a private repository of your own, then `git push -u origin HEAD`"
        yield Finding("template-remote", "git remote", what, "nothing is shared to there", mend)


def check_toolkit(path: str | None, error: SoulError | None, *, runs_elsewhere: bool) -> Iterator[Finding]:
    """Yield that the toolkit cannot be installed: not here, or not on GitHub.

    `path` is the folder that soul.yaml names, if it names one; `runs_elsewhere` tells that workflows need it too.
    """
    if error:
        yield Finding("toolkit", CONFIG_NAME, error.message, "the hub's scripts cannot start", error.hint)
    elif path not in (None, ".") and runs_elsewhere:
        what = f"`toolkit:` names the folder {path!r} of this machine"
        mend = "name a version, or a URL and a full commit hash, at `toolkit:` in soul.yaml"
        yield Finding("toolkit-here", CONFIG_NAME, what, "the workflows on GitHub and other machines lack it", mend)
