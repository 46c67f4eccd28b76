"""Same events, same bytes: on any time zone, locale, hash seed and directory order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from hubs import event

ZONES = ("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Kiritimati")
LOCALES = ("C", "C.UTF-8", "tr_TR.UTF-8")
SEEDS = ("1", "4242")

# Compiles twice in one process: as the file system lists the folders, and the other way round.
DRIVER = """
import hashlib, os, sys
from pathlib import Path
from agent_soul.compiler import compile_log
from agent_soul.config import parse_config
from agent_soul.log import parse_log, read_source_files
from agent_soul.overview import State

root = Path(sys.argv[1])

class Reversed:
    def __init__(self, entries): self.entries = entries
    def __enter__(self): return reversed(list(self.entries.__enter__()))
    def __exit__(self, *error): return self.entries.__exit__(*error)

def digest():
    config, _ = parse_config((root / "soul.yaml").read_bytes())
    texts = compile_log(parse_log(read_source_files(root)), config, State("2026-03-10")).texts
    return hashlib.sha256(repr(list(texts.items())).encode()).hexdigest(), len(texts)

scandir = os.scandir
first = digest()
os.scandir = lambda path: Reversed(scandir(path))
print(*first, *digest())
"""


@pytest.fixture
def varied_hub(tmp_path: Path) -> Path:
    """Make a hub that holds something of everything whose order could vary."""
    kinds = ("fact", "rule", "note", "decision", "preference")
    records = [
        event(n, f"İstanbul ISSUE {n} 支付 ß ﬁ", source=f"s{n % 7}", kind=kinds[n % 5])
        | {"scope": ("stable", "profile", "project", "daily")[n % 4], "project": f"Proje {n % 3} İ"}
        for n in range(120)
    ]
    same = {"ts": "2026-03-02T00:30:00+01:00", "importance": 0.7}
    records += [event(200 + n, "The same words.", source=f"s{n}") | same for n in range(5)]
    records += [
        event(300 + n, f"Value {n}.", claim={"entity": "I", "attribute": "i", "value": n}, **same) for n in range(4)
    ]
    records += [event(400 + n, kind="metric", metric={"name": "Speed", "value": n / 3}) for n in range(9)]
    records += [event(500, supersedes=["event-501"]), event(501, supersedes=["event-500"])]
    records += [event(510, "One content."), event(510, "Another content.")]
    records += [event(520, kind="mark", mark={"action": "settle", "targets": ["event-300", "event-301"]})]
    for record in records:
        file = (
            tmp_path
            / "sources"
            / record["source"]
            / f"{record['ts'][:10]}.{int(record['event_id'][6:]) % 3:08x}.ndjson"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")
    (tmp_path / "soul.yaml").write_text("pages: {summary_width: 60}\n", encoding="utf-8")
    return tmp_path


def test_the_same_hub_gives_the_same_bytes_everywhere(varied_hub: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(varied_hub)],
            env={**os.environ, "TZ": zone, "LC_ALL": locale, "LANG": locale, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for zone, locale, seed in product(ZONES, LOCALES, SEEDS)
    ]
    outputs = [run.communicate(timeout=120)[0] for run in runs]

    assert [run.returncode for run in runs] == [0] * 24
    variants = {tuple(pair) for words in map(str.split, outputs) for pair in (words[:2], words[2:])}

    assert len(variants) == 1
    assert int(variants.pop()[1]) > 15
