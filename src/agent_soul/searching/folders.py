"""A model in a folder of the user's, as Hugging Face hands them out: ONNX weights with their tokenizer.

Nearly every embedding model is to be had in that form, and the two libraries that run it weigh 60 MB, where the
program that most of them were trained with weighs 2 GB.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent_soul.errors import StoppedError

LIBRARIES = ("onnxruntime", "tokenizers")
_WEIGHTS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_TOKENIZER = "tokenizer.json"
_MOST_TOKENS = 512
_BATCH = 32


def folder_name(folder: Path) -> str:
    """Return the name under which vectors of the model in `folder` are kept: another one once its files change."""
    weights = _weights(folder)
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in (weights, folder / _TOKENIZER)]
    return f"folder {hashlib.sha256(repr((str(folder.resolve()), seen)).encode()).hexdigest()[:16]}"


def ask_folder(folder: Path, texts: Sequence[str], is_question: bool) -> Any:
    """Return an array of the shape (texts, dimensions), each row of length 1. Raises `StoppedError` where it cannot."""
    import numpy as np

    try:
        run, pool, prefixes = _load(folder)
        prefix = prefixes[0 if is_question else 1]
        given = [prefix + text for text in texts]
        rows = [pool(*run(given[start : start + _BATCH])) for start in range(0, len(given), _BATCH)]
    except StoppedError:
        raise
    except Exception as error:  # whatever the two libraries raise about somebody's files
        raise StoppedError(f"the model in {folder} gave no vectors: {error}", hint=_HINT) from error
    vectors = np.concatenate(rows).astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


_HINT = f"a model folder holds {_TOKENIZER} and one of {', '.join(_WEIGHTS)}, as `optimum-cli export onnx` writes them"


@functools.cache
def _load(folder: Path) -> tuple[Any, Any, tuple[str, str]]:
    """Return what runs the model, what makes one vector of a text's many, and the prefixes of questions and texts."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(_weights(folder)), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.enable_truncation(_MOST_TOKENS)
    tokenizer.enable_padding()
    return functools.partial(_run, session, tokenizer), _pooling(folder), _prefixes(folder)


def _weights(folder: Path) -> Path:
    found = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if found is None or not (folder / _TOKENIZER).is_file():
        raise StoppedError(f"{folder} holds no model that can be run here", hint=_HINT)
    return found


def _run(session: Any, tokenizer: Any, texts: Sequence[str]) -> tuple[Any, Any]:
    """Return the last layer, of the shape (texts, tokens, dimensions), and the mask of tokens that are no padding."""
    import numpy as np

    encoded = tokenizer.encode_batch(list(texts))
    mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
    values = {
        "input_ids": np.array([each.ids for each in encoded], dtype=np.int64),
        "attention_mask": mask,
        "token_type_ids": np.zeros_like(mask),
    }
    wanted = {given.name: values[given.name] for given in session.get_inputs()}
    return session.run(None, wanted)[0], mask


def _pooling(folder: Path) -> Any:
    """Return the way in which the model was trained to sum a text up: its first token, or the mean of all."""
    settings = _settings(folder / "1_Pooling" / "config.json")
    return _first if settings.get("pooling_mode_cls_token") else _mean


def _first(layer: Any, _mask: Any) -> Any:
    return layer[:, 0] if layer.ndim > 2 else layer


def _mean(layer: Any, mask: Any) -> Any:
    if layer.ndim == 2:  # the model sums up by itself
        return layer
    weights = mask[:, :, None]
    return (layer * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)


def _prefixes(folder: Path) -> tuple[str, str]:
    """Return what the model wants before a question and before a text; most want nothing."""
    prompts = _settings(folder / "config_sentence_transformers.json").get("prompts") or {}
    texts = (prompts.get(name) for name in ("passage", "document"))
    return prompts.get("query") or "", next(filter(None, texts), "")


def _settings(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}
