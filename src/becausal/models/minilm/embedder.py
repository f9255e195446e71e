# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2 on ONNX Runtime, as an embedder."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

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
    Ready = tuple[InferenceSession, WordPiece, TokenReducer]

T = TypeVar("T")

DIMENSION = 384
MAX_TOKENS = 256
"""What the model was trained to read, ``[CLS]`` and ``[SEP]`` included; the rest of a text is not read."""

_RUN_TEXTS = 32
_RUN_TOKENS = 256  # with padding; more does not fit the processor's caches and is slower for each text
_RUN_PADDING = 16  # tokens; beginning another run costs about as much
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
        encoded = [tokenizer.encode(text, MAX_TOKENS) for text in texts]
        runs = list(_runs([len(ids) for ids in encoded]))
        for run, made in zip(
            runs, self._side_by_side(lambda run: self._means(session, encoded, run), runs), strict=True
        ):
            vectors[run] = made
        return vectors

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return the texts' vectors and token vectors; see ``TokenEmbedder.encode``."""
        session, tokenizer, reducer = self._load()
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        encoded = [tokenizer.encode(text, MAX_TOKENS) for text in texts]
        kept = [reducer.telling(ids) for ids in encoded]
        tokens: list[Tokens] = [np.zeros((0, TOKEN_WIDTH), np.int8)] * len(texts)

        def make(run: Sequence[int]) -> tuple[Vectors, list[Tokens]]:
            made, hidden = self._run(session, [encoded[place] for place in run])
            chosen = np.zeros(hidden.shape[:2], np.bool_)
            for row, place in enumerate(run):
                chosen[row, : len(kept[place])] = kept[place]
            return made, np.split(reducer.reduce(hidden[chosen]), np.cumsum(chosen.sum(axis=1))[:-1])

        runs = list(_runs([len(ids) for ids in encoded]))
        for run, (made, parts) in zip(runs, self._side_by_side(make, runs), strict=True):
            vectors[run] = made
            for place, part in zip(run, parts, strict=True):
                tokens[place] = part
        words = [reducer.words(ids, keep) if len(ids) > 2 else () for ids, keep in zip(encoded, kept, strict=True)]
        return Encoded(vectors=vectors, tokens=tuple(tokens), words=tuple(words))

    def _side_by_side(self, make: Callable[[list[int]], T], runs: Sequence[list[int]]) -> Iterator[T]:
        """Yield what is made of each run of the model, in order; as many are made at a time as there are threads."""
        threads = min(self._threads, len(runs))
        if threads < 2:
            yield from map(make, runs)
            return
        with ThreadPoolExecutor(threads, thread_name_prefix="becausal-model") as pool:
            yield from pool.map(make, runs)

    def _load(self) -> Ready:
        with self._loading:
            if self._ready is None:
                file = find_model(self._path, self._sha256)
                vocabulary = load_vocabulary()
                session = _open(file)
                self._ready = session, WordPiece(vocabulary), TokenReducer(vocabulary, DIMENSION)
            return self._ready

    def _means(self, session: InferenceSession, encoded: Sequence[Sequence[int]], run: Sequence[int]) -> Vectors:
        return self._run(session, [encoded[place] for place in run])[0]

    def _run(self, session: InferenceSession, batch: Sequence[Sequence[int]]) -> tuple[Vectors, Hidden]:
        """Return the vectors of some texts, and the hidden states that they are the means of."""
        import numpy as np

        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = session.run(None, inputs)[0]
        except _runtime_errors() as error:
            self._forget(session)
            raise ModelUnavailable(f"the model could not be run ({_line(error)}); it will be loaded again") from error
        # Of the mean only the direction is kept, so the sum will do.
        sums = (hidden * mask[:, :, np.newaxis].astype(np.float32)).sum(axis=1)
        vectors: Vectors = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-12))
        return vectors, hidden

    def _forget(self, session: InferenceSession) -> None:
        with self._loading:
            if self._ready is not None and self._ready[0] is session:
                self._ready = None


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
