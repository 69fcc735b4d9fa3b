"""Runs a graph in ONNX Runtime on token ids. Imports neither torch nor transformers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing

T = TypeVar("T")
Output = NDArray[np.float32]
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
_GPU_BATCH = 32


@dataclass(frozen=True, slots=True)
class TokenIds:
    """One input: its ids, and the segment of each (None: all in the first)."""

    ids: Sequence[int]
    segments: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Compute:
    """``threads``: how many inputs are computed at once on a CPU (None: one per core of this process).

    On a CPU each input is a separate batch: measured as fast as larger batches, without padding. Also, int8 graphs
    scale activations over the whole batch, so in a larger batch a text's vector would depend on its neighbours.
    """

    threads: int | None = None
    device: str = "cpu"

    @property
    def workers(self) -> int:
        return 1 if self.device != "cpu" else self.threads or len(os.sched_getaffinity(0))

    @property
    def batch_size(self) -> int:
        return 1 if self.device == "cpu" else _GPU_BATCH


class OnnxSession:
    """Runs a BERT-like graph over any number of inputs; thread-safe and fork-safe."""

    def __init__(self, model: Path, compute: Compute) -> None:
        """Raises ModelMissing if the file or the device does not exist."""
        self._session = _open(model, compute)
        self._compute = compute
        self._names = [value.name for value in self._session.get_inputs()]
        self._outputs = [value.name for value in self._session.get_outputs()]

    def map(self, inputs: Sequence[TokenIds], pool: Callable[[Output, NDArray[np.int64]], Output]) -> Output:
        """``pool(output, mask)`` of every batch as rows, in the order of ``inputs``; at least one input.

        Longest first, so that a batch has texts of similar length and no thread gets a long one at the end.
        """
        return np.stack(self.map_batches(inputs, lambda output, mask, _batch: list(pool(output, mask))))

    def map_batches(
        self,
        inputs: Sequence[TokenIds],
        convert: Callable[[Output, NDArray[np.int64], Sequence[TokenIds]], Sequence[T]],
    ) -> list[T]:
        """What ``convert`` gives for each input of a batch, from its output and mask, in the order of ``inputs``."""
        return self.map_outputs(
            inputs, self._outputs[:1], lambda outputs, mask, batch: convert(outputs[0], mask, batch)
        )

    def map_outputs(
        self,
        inputs: Sequence[TokenIds],
        outputs: Sequence[str],
        convert: Callable[[Sequence[Output], NDArray[np.int64], Sequence[TokenIds]], Sequence[T]],
    ) -> list[T]:
        """As :meth:`map_batches`, from several outputs of the graph, by their names."""
        order = sorted(range(len(inputs)), key=lambda row: -len(inputs[row].ids))
        batches = list(batched(order, self._compute.batch_size))

        def run(batch: list[int]) -> Sequence[T]:
            batch_inputs = [inputs[row] for row in batch]
            feed, mask = pad_inputs(batch_inputs)
            return convert(self._session.run(outputs, {name: feed[name] for name in self._names}), mask, batch_inputs)

        results = dict(
            zip(order, (result for batch in self._run_parallel(run, batches) for result in batch), strict=True)
        )
        return [results[row] for row in range(len(inputs))]

    def run_batch(self, feed: Mapping[str, NDArray[np.generic]]) -> Output:
        """The first output of one batch, in the thread of the caller."""
        output: Output = self._session.run(self._outputs[:1], dict(feed))[0]
        return output

    def try_run(self, sample: TokenIds) -> Output:
        """The first output for ``sample``. Raises ModelMissing if the graph cannot read token ids of any number."""
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        feed, _ = pad_inputs([sample])
        if unknown := sorted(set(self._names) - set(feed)):
            raise ModelMissing(f"the graph needs inputs that are not token ids: {', '.join(unknown)}")
        try:
            return self.run_batch({name: feed[name] for name in self._names})
        except (state.Fail, state.InvalidArgument, state.NotImplemented, state.RuntimeException) as error:
            raise ModelMissing(f"the graph cannot be run: {' '.join(str(error).split())[:200]}") from None

    @property
    def outputs(self) -> Sequence[str]:
        return self._outputs

    def _run_parallel(self, run: Callable[[list[int]], Sequence[T]], batches: list[list[int]]) -> list[Sequence[T]]:
        workers = min(self._compute.workers, len(batches))
        if workers <= 1:
            return [run(batch) for batch in batches]
        # Made per call: threads do not survive a fork, and starting them costs less than one text.
        with ThreadPoolExecutor(workers, thread_name_prefix="sonde-onnx") as threads:
            return list(threads.map(run, batches))


def pad_inputs(inputs: Sequence[TokenIds]) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64]]:
    """The graph's inputs by name, and the mask; each (n, longest) with 0 as padding."""
    shape = (len(inputs), max(len(tokens.ids) for tokens in inputs))
    ids, mask, segments = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, tokens in enumerate(inputs):
        ids[row, : len(tokens.ids)] = tokens.ids
        mask[row, : len(tokens.ids)] = 1
        if tokens.segments is not None:
            segments[row, : len(tokens.ids)] = tokens.segments
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}, mask


def _open(model: Path, compute: Compute) -> Any:
    import onnxruntime as ort
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    provider = _PROVIDERS.get(compute.device)
    if provider not in ort.get_available_providers():
        raise ModelMissing(f"ONNX Runtime has no device {compute.device!r} here; use cpu or the torch runtime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1  # our threads run whole texts; also safe to fork
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(model), options, providers=[provider])
    except (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
    ) as error:
        raise ModelMissing(f"{model} is not a graph ONNX Runtime can run: {str(error)[:200]}") from None
