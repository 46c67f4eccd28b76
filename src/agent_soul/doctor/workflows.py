"""The hub's workflows on GitHub: whether they may push, run what can run there, and run at all. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from agent_soul.doctor.finding import Finding

FOLDER = ".github/workflows"
_PUSHES = re.compile(r"\bsync\b|--apply\b|quick_share|compile_and_sync|git push")
_OURS = re.compile(r"scripts/\w+\.(?:py|sh)|\bsoul \w")
_OLDEST_PYTHON = (3, 11)
_SETTINGS = "GitHub: Settings → Actions → General → Workflow permissions → Read and write"


def check_workflows(files: Mapping[str, str], *, branch: str, is_template: bool) -> Iterator[Finding]:
    """Yield what is wrong with the workflows, by name and text, of a hub whose branch is `branch`."""
    flows: dict[str, dict[Any, Any]] = {}
    for name, text in files.items():
        try:
            loaded = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            what = f"is no YAML: {' '.join(str(error).split())}"
            yield Finding(
                "workflow", f"{FOLDER}/{name}", what, "it never starts", "mend it, or take the one of `soul init`"
            )
            continue
        if isinstance(loaded, dict) and isinstance(loaded.get("jobs"), dict):
            flows[name] = loaded
    pushing = {name: flow for name, flow in flows.items() if any(map(_pushes, flow["jobs"].values()))}
    if not pushing:
        what = "no workflow compiles the pages"
        why = "what is pushed by hand, and what expires, does not reach the pages until somebody runs `soul sync`"
        yield Finding("no-workflow", FOLDER, what, why, "copy auto-compile.yml from a hub of `soul init`")
    for name, flow in pushing.items():
        yield from _check(f"{FOLDER}/{name}", flow, is_template=is_template)
    if pushing and not any("schedule" in _starts(flow) for flow in pushing.values()):
        why = "what expires stays on the pages until the next push"
        yield Finding("no-schedule", FOLDER, "no workflow runs once a day", why, "give auto-compile.yml a `schedule:`")
    if pushing and branch and not any(_starts_on(flow, branch) for flow in pushing.values()):
        what = f"no workflow starts on a push to {branch!r}, the branch of this clone"
        yield Finding(
            "branch", FOLDER, what, "pages follow once a day at best", "name the branch `main`, or name it there"
        )


def _check(where: str, flow: Mapping[Any, Any], *, is_template: bool) -> Iterator[Finding]:
    concurrency = flow.get("concurrency")
    if isinstance(concurrency, dict) and str(concurrency.get("cancel-in-progress")).lower() == "true":
        why = "a run may be killed between its commit and its push"
        yield Finding(
            "cancel", where, "`cancel-in-progress: true`", why, "make it `false`: the run that waits does all"
        )
    for name, job in flow["jobs"].items():
        if not isinstance(job, dict) or not _pushes(job):
            continue
        place = f"{where} job {name}"
        if not _may_write(job.get("permissions", flow.get("permissions"))):
            what = "pushes, and asks for no `permissions: contents: write`"
            mend = f"give the job `permissions: {{contents: write}}`; where an organization caps it: {_SETTINGS}"
            yield Finding("permissions", place, what, "GitHub declines what it pushes", mend)
        if is_template and "is_template" not in str(job.get("if", "")):
            mend = "give the job `if: ${{ !github.event.repository.is_template }}`"
            yield Finding(
                "template-guard", place, "runs in the template too", "the template gets pages of its own", mend
            )
        for version in re.findall(r"'python-version': '?(\d+)\.(\d+)", str(job)):
            if tuple(map(int, version)) < _OLDEST_PYTHON:
                what = f"asks for Python {'.'.join(version)}"
                yield Finding("workflow-python", place, what, "agent-soul needs 3.11 or newer", "make it 3.13")


def _pushes(job: Any) -> bool:
    steps = job.get("steps") if isinstance(job, dict) else None
    runs = [str(step.get("run", "")) for step in steps or () if isinstance(step, dict)]
    return any(_OURS.search(run) and _PUSHES.search(run) for run in runs)


def _may_write(permissions: Any) -> bool:
    if isinstance(permissions, dict):
        return bool(permissions.get("contents") == "write")
    return bool(permissions == "write-all")


def _starts(flow: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Return what starts a workflow; YAML before 1.2 reads the key `on` as true."""
    on = flow.get("on", flow.get(True))
    if isinstance(on, dict):
        return on
    return dict.fromkeys([on] if isinstance(on, str) else on or ())


def _starts_on(flow: Mapping[Any, Any], branch: str) -> bool:
    if "push" not in _starts(flow):
        return False
    push = _starts(flow)["push"]
    branches = push.get("branches") if isinstance(push, dict) else None
    return not branches or branch in branches or any("*" in str(each) for each in branches)
