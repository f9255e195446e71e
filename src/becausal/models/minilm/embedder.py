# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2 on ONNX Runtime, as an embedder."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InvalidInput, ModelUnavailable
from ...ports.models import Encoded
from .artifact import MODEL_SHA256, find_model
from .tokens import WIDTH as TOKEN_WIDTH
from .tokens import TokenReducer
from .wordpiece import WordPiece, load_vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

    from ...ports.models import Tokens, Vectors

    Hidden = NDArray[np.float32]
    Mask = NDArray[np.int64]
    Inputs = Mapping[str, Mask]
    Ready = tuple[InferenceSession, WordPiece, TokenReducer]

DIMENSION = 384
MAX_TOKENS = 256
"""What the model was trained to read, ``[CLS]`` and ``[SEP]`` included; the rest of a text is not read."""

_RUN_TEXTS = 32
_RUN_TOKENS = 256  # with padding; more does not fit the processor's caches and is slower for each text
_RUN_PADDING = 16  # tokens; beginning another run costs about as much
_GROUP = 16  # runs whose hidden states are held together: six megabytes at most
_MOST_THREADS = 2  # and at most half of the processors: the agent and the rest of the memory need some as well


class MiniLM:
    """Sentence embeddings of 384 dimensions (Reimers and Gurevych 2019, "Sentence-BERT"; MiniLM: Wang et al. 2020).

    A text's vector is the mean of its tokens' last hidden states, scaled to length one. The weights are
    stored as 8-bit integers and computed with as float32, so a text's vector does not depend on what it is
    embedded together with.
    """

    def __init__(
        self, *, model_path: Path | None = None, expected_sha256: str = MODEL_SHA256, threads: int | None = None
    ) -> None:
        """Prepare the model in file ``model_path``; the installed one, if that is ``None``.

        Another file than the usual one needs its own checksum, ``expected_sha256``, which is part of ``name``.
        ``threads`` is how many runs of the model are worked on at a time, each by one thread: by default two, but
        no more than half of the processors.

        Raises:
            InvalidInput: ``threads`` is less than one.
        """
        if threads is not None and threads < 1:
            raise InvalidInput("threads", f"must be at least 1, not {threads}")
        self._path = model_path
        self._sha256 = expected_sha256.lower()
        self._threads = threads or max(1, min(_MOST_THREADS, _processors() // 2))
        self._loading = threading.Lock()
        self._ready: Ready | None = None

    @property
    def name(self) -> str:
        return f"all-MiniLM-L6-v2-int8:{self._sha256[:8]}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def degraded(self) -> None:
        return None

    def load(self) -> None:
        """Check the model file and make it ready to run; see ``Embedder.load``."""
        self._load()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors; see ``Embedder.embed``. Of each text, the first 256 tokens are read."""
        session, tokenizer, _ = self._load()
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for group in self._groups(session, [tokenizer.encode(text, MAX_TOKENS) for text in texts]):
            for run, hidden, mask in group:
                vectors[run] = _means(hidden, mask)
        return vectors

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return the texts' vectors and token vectors; see ``TokenEmbedder.encode``."""
        session, tokenizer, reducer = self._load()
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        encoded = [tokenizer.encode(text, MAX_TOKENS) for text in texts]
        kept = [reducer.telling(ids) for ids in encoded]
        words = [reducer.words(ids, keep) if len(ids) > 2 else () for ids, keep in zip(encoded, kept, strict=True)]
        tokens: list[Tokens] = [np.zeros((0, TOKEN_WIDTH), np.int8)] * len(texts)
        for group in self._groups(session, encoded):
            places: list[int] = []
            telling: list[Hidden] = []
            for run, hidden, mask in group:
                vectors[run] = _means(hidden, mask)
                places += run
                telling += [states[: len(kept[place])][kept[place]] for place, states in zip(run, hidden, strict=True)]
            ends = np.cumsum([len(states) for states in telling])[:-1]
            for place, part in zip(places, np.split(reducer.reduce(np.concatenate(telling)), ends), strict=True):
                tokens[place] = part
        return Encoded(vectors=vectors, tokens=tuple(tokens), words=tuple(words))

    def _groups(
        self, session: InferenceSession, encoded: Sequence[Sequence[int]]
    ) -> Iterator[list[tuple[list[int], Hidden, Mask]]]:
        """Yield the texts of each run of the model, their hidden states, and which of these are no padding.

        Between the runs of one group nothing is done: whatever else the process does would get hold of the
        interpreter meanwhile, and keep the model waiting.
        """
        runs = list(_runs([len(ids) for ids in encoded]))
        for start in range(0, len(runs), _GROUP):
            group = runs[start : start + _GROUP]
            inputs = [_inputs([encoded[place] for place in run]) for run in group]
            try:
                made = self._side_by_side(lambda given: session.run(None, given)[0], inputs)
            except _runtime_errors() as error:
                self._forget(session)
                raise ModelUnavailable(
                    f"the model could not be run ({_line(error)}); it will be loaded again"
                ) from error
            yield [
                (run, hidden, given["attention_mask"]) for run, hidden, given in zip(group, made, inputs, strict=True)
            ]

    def _side_by_side(self, make: Callable[[Inputs], Hidden], inputs: Sequence[Inputs]) -> list[Hidden]:
        """Return what is made of the inputs of each run; as many are made at a time as there are threads."""
        threads = min(self._threads, len(inputs))
        if threads < 2:
            return [make(given) for given in inputs]
        with ThreadPoolExecutor(threads, thread_name_prefix="becausal-model") as pool:
            return list(pool.map(make, inputs))

    def _load(self) -> Ready:
        with self._loading:
            if self._ready is None:
                file = find_model(self._path, self._sha256)
                vocabulary = load_vocabulary()
                session = _open(file)
                self._ready = session, WordPiece(vocabulary), TokenReducer(vocabulary, DIMENSION)
            return self._ready

    def _forget(self, session: InferenceSession) -> None:
        with self._loading:
            if self._ready is not None and self._ready[0] is session:
                self._ready = None


def _inputs(batch: Sequence[Sequence[int]]) -> Inputs:
    """Return what the model reads in one run, shape (texts, longest)."""
    import numpy as np

    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def _means(hidden: Hidden, mask: Mask) -> Vectors:
    """Return the mean of each text's hidden states, shape (texts, tokens, dimension), scaled to length one."""
    import numpy as np

    # Of the mean only the direction is kept, so the sum will do.
    sums = (hidden * mask[:, :, np.newaxis].astype(np.float32)).sum(axis=1)
    vectors: Vectors = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-12))
    return vectors


def _runs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield which texts go into one run of the model: neighbours in length, for little padding.

    Texts without a word (nothing between the two control tokens) are left out.
    """
    run: list[int] = []
    tokens = 0
    for place in sorted((place for place, length in enumerate(lengths) if length > 2), key=lengths.__getitem__):
        width = lengths[place]
        padding = len(run) * width - tokens
        if run and (len(run) == _RUN_TEXTS or (len(run) + 1) * width > _RUN_TOKENS or padding > _RUN_PADDING):
            yield run
            run, tokens = [], 0
        run.append(place)
        tokens += width
    if run:
        yield run


def _open(file: Path) -> InferenceSession:
    importlib.invalidate_caches()
    # ONNX Runtime reports to its maker as soon as it is imported, unless it finds this; calling its
    # disable_telemetry_events() afterwards is too late.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import numpy  # noqa: F401 (a broken one is noticed here and not by the first text)
        import onnxruntime as ort
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelUnavailable(
            f"ONNX Runtime cannot be imported ({_line(error)}); "
            "reinstall it: pip install --force-reinstall onnxruntime numpy"
        ) from error
    options = ort.SessionOptions()
    # Several threads on one run are no faster for a question, take half as much again from the processors, and leave
    # none for the rest of the answer; many texts are better shared out run by run.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The higher levels take longer to load and more memory, and run this model no faster.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3  # errors, which are raised anyway
    try:
        session = ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except _runtime_errors() as error:
        raise ModelUnavailable(
            f"ONNX Runtime cannot load the model file {file} ({_line(error)}); update onnxruntime or the file"
        ) from error
    inputs = {node.name for node in session.get_inputs()}
    shapes = [node.shape for node in session.get_outputs()]
    if inputs != {"input_ids", "attention_mask", "token_type_ids"} or len(shapes[0]) != 3 or shapes[0][2] != DIMENSION:
        raise ModelUnavailable(f"the model file {file} is not an encoder with {DIMENSION} dimensions; use another one")
    return session


def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return everything ONNX Runtime raises: its exceptions have no common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    raised = (value for value in vars(state).values() if isinstance(value, type) and issubclass(value, Exception))
    return (*raised, RuntimeError, MemoryError)


def _line(error: BaseException) -> str:
    """Return an error's message as one short line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
