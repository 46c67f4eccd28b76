"""A model in a folder of the user's: a small one is made here, with real weights and a real tokenizer, and asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_soul.errors import StoppedError
from support import Soul

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx", reason="needs onnx, which is not there for every Python")
pytest.importorskip("onnxruntime", reason="needs onnxruntime, which is not there for every Python")
tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers, which is not there for every Python")

from agent_soul.searching.folders import ask_folder, folder_name  # noqa: E402

WORDS = ["[PAD]", "[UNK]", "cat", "purrs", "猫", "dog", "barks", "狗", "query", "the"]
# One row a word: cats one way, dogs the other, the prefix of questions a third.
VECTORS = [[0.3, 0.3, 0.3], [0.1, 0.1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
VECTORS += [[0, 0, 0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a model that looks each word's vector up."""
    folder = tmp_path / "my model"
    (folder / "onnx").mkdir(parents=True)
    helper, kinds = onnx.helper, onnx.TensorProto
    table = onnx.numpy_helper.from_array(np.array(VECTORS, dtype=np.float32), "table")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "look-up",
        [helper.make_tensor_value_info("input_ids", kinds.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["batch", "length", 3])],
        [table],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "onnx" / "model.onnx")
    splitter = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    splitter.normalizer = tokenizers.normalizers.Lowercase()
    splitter.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    splitter.save(str(folder / "tokenizer.json"))
    return folder


def test_texts_that_mean_the_same_lie_together(folder: Path) -> None:
    cat, purrs, dog = ask_folder(folder, ["the cat", "purrs purrs purrs", "dog"], False)
    assert cat @ purrs == pytest.approx(1, abs=0.02)
    assert cat @ dog == pytest.approx(0, abs=0.02)
    assert [np.linalg.norm(row) for row in (cat, purrs, dog)] == pytest.approx([1, 1, 1])


def test_padding_counts_for_nothing(folder: Path) -> None:
    together = ask_folder(folder, ["cat", "dog " * 40], False)[0]
    assert together.tolist() == pytest.approx(ask_folder(folder, ["cat"], False)[0].tolist())


def test_its_settings_say_how_it_was_trained(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "query query "}}))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert ask_folder(folder, ["cat dog"], True)[0].tolist() == pytest.approx([0, 0, 1])
    assert ask_folder(folder, ["cat dog"], False)[0].tolist() == pytest.approx([1, 0, 0])


def test_another_model_has_another_name(folder: Path) -> None:
    before = folder_name(folder)
    assert folder_name(folder) == before
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    assert folder_name(folder) != before


def test_what_is_no_model_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match="holds no model that can be run here"):
        folder_name(tmp_path)
    (folder / "onnx" / "model.onnx").write_bytes(b"nonsense")
    with pytest.raises(StoppedError, match="gave no vectors"):
        ask_folder(folder, ["cat"], False)


def test_a_search_asks_it(folder: Path, soul: Soul) -> None:
    said = [*(f"the dog barks {n}" for n in range(9)), "it purrs", *(f"第{n}只 狗" for n in range(9))]
    lines = [json.dumps({"kind": "fact", "scope": "stable", "summary": summary}) for summary in said]
    soul("add", "--stdin", "--source", "s-one", stdin="\n".join(lines))
    here = {"AGENT_SOUL_EMBEDDER": str(folder)}
    found = json.loads(soul("search", "猫", "--json", env=here).stdout)["results"]
    assert found[0]["event"]["summary"] == "it purrs"
    assert json.loads(soul("search", "猫", "--json").stdout)["total"] == 0
    (folder / "tokenizer.json").unlink()
    assert "holds no model" in soul("search", "猫", env=here, code=5).stderr
