"""Finding by meaning: what a model says of a question and of every event, as words' worth to add to the ranking.

Vectors of a multilingual model say first of all which language a text is in. So each language's mean is taken from
its vectors and from the question's, and an event is compared with those of its language: a Chinese question then finds
an English memory. One comparison for all languages was measured to find none of them.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agent_soul.hub import Hub
from agent_soul.searching.filters import Filters
from agent_soul.searching.index import Index
from agent_soul.searching.models import Model
from agent_soul.searching.vectors import Vectors

# An event whose likeness is one standard deviation above that of its language's events counts one word.
_WORDS_PER_DEVIATION = 1.0
_CANDIDATES = 200
_BATCH = 32
# With fewer a language has no mean of its own.
_LANGUAGE = 5
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_LETTER = re.compile(r"\w")
# A character of these scripts says as much as three letters.
_CJK_SHARE = 1 / 4


class Meanings(NamedTuple):
    """Words' worth by number of the event, for those that are alike; and how many events have no vector yet."""

    worth: Mapping[int, float]
    missing: int


def is_cjk(text: str) -> bool:
    """Tell whether the text is mostly Chinese, Japanese or Korean."""
    return len(_CJK.findall(text)) > _CJK_SHARE * len(_LETTER.findall(text))


def embed_missing(
    index: Index, vectors: Vectors, model: Model, seconds: float, tell: Callable[[int, int], None] | None = None
) -> int:
    """Make vectors of the texts that have none, the newest first, and return how many are still without.

    Stops after `seconds`. `tell` is given how many are done, and of how many.
    """
    missing = index.texts_without(vectors.load().keys())
    deadline = time.monotonic() + seconds
    done = 0
    while done < len(missing) and time.monotonic() < deadline:
        batch = missing[done : done + _BATCH]
        made = model.embed([text for _, text in batch], False)
        vectors.add({key: vector for (key, _), vector in zip(batch, made, strict=True)})
        done += len(batch)
        if tell:
            tell(done, len(missing))
    return len(missing) - done


def meanings(hub: Hub, index: Index, model: Model, text: str, filters: Filters, seconds: float) -> Meanings:
    """Return what the model says of the events that pass the filters, as answers to `text`.

    Texts that it has not read yet are read for so many `seconds` before.
    """
    import numpy as np

    vectors = Vectors(hub, model.name)
    missing = embed_missing(index, vectors, model, seconds)
    known = vectors.load()
    events = [(number, key, cjk) for number, key, cjk in index.text_keys() if key in known]
    if not events:
        return Meanings({}, missing)
    rows = np.frombuffer(b"".join(known[key] for _, key, _ in events), dtype=np.float16)
    matrix = rows.reshape(len(events), -1).astype(np.float32)
    languages = np.array([cjk for _, _, cjk in events], dtype=bool)
    deviations = _deviations(matrix, languages, model.embed([text], True)[0], is_cjk(text))
    passing = index.passing(filters)
    order = (i for i in np.argsort(-deviations, kind="stable") if events[i][0] in passing and deviations[i] > 0)
    best = itertools.islice(order, _CANDIDATES)
    return Meanings({events[i][0]: float(deviations[i]) * _WORDS_PER_DEVIATION for i in best}, missing)


def _deviations(matrix: Any, languages: Any, question: Any, question_is_cjk: bool) -> Any:
    """Return, for each row, how many standard deviations its likeness lies above the mean of its language."""
    import numpy as np

    everything = matrix.mean(axis=0)
    own = {cjk: matrix[languages == cjk] for cjk in (False, True)}
    means = {cjk: rows.mean(axis=0) if len(rows) >= _LANGUAGE else everything for cjk, rows in own.items()}
    asked = question - means[question_is_cjk]
    result = np.zeros(len(matrix), dtype=np.float32)
    for cjk, rows in own.items():
        if len(rows):
            bare = rows - means[cjk]
            likeness = bare @ asked / np.maximum(np.linalg.norm(bare, axis=1), 1e-6)
            result[languages == cjk] = (likeness - likeness.mean()) / max(float(likeness.std()), 1e-6)
    return result
