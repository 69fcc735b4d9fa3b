"""Loads the weights of a base for training, restored from its serving graph where it has no others, and sets the
precision of the arithmetic.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelMissing
from encoders.files import exclusive_lock, publish_folder
from encoders.imports import torch_imports
from encoders.locate import Located
from encoders.onnx_session import Compute, OnnxSession, TokenIds
from training.examples import TrainingError

if TYPE_CHECKING:
    from transformers import BertModel

GRAPH = "model.onnx"
_SAME = 1e-3  # of states whose size is about 1
_HEAD_SIZES = (32, 64)
_SAMPLES = [TokenIds([101, 2003, 2045, 4586, 1999, 1996, 13698, 102]), TokenIds([101, 4542, 102])]
_BESIDE = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json", "card.json")


Precision = Literal["float32", "bfloat16"]


def trainable_folder(location: Located, cache: Path) -> Path:
    """The folder itself if it has safetensors, else one in ``cache`` restored from its ``model.onnx``.

    Raises TrainingError if the graph is not a BERT with the original layer names, or the restored vectors differ.
    """
    if list(location.folder.glob("*.safetensors")):
        return location.folder
    if not (location.folder / GRAPH).is_file():
        raise TrainingError(f"{location.folder} holds neither safetensors nor model.onnx.")
    return restored(location, cache, _restore)


def restored(location: Located, cache: Path, restore: Callable[[Path, Path], None]) -> Path:
    """A folder in ``cache`` with the weights of the location's graph as safetensors, made on first use."""
    folder = cache / f"restored-{location.digest[:16]}"
    with exclusive_lock(folder):
        if not (folder / "config.json").is_file():
            with publish_folder(folder) as draft:
                restore(location.folder, draft)
    return folder


def copy_files(source: Path, target: Path, names: Iterable[str]) -> None:
    """Copies those of the files that ``source`` has."""
    for name in names:
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


def _restore(source: Path, draft: Path) -> None:
    graph = source / GRAPH
    weights = named_weights(graph)
    session = OnnxSession(graph, Compute(1))
    reference_states = [np.asarray(session.map([sample], lambda states, _: states)[0]) for sample in _SAMPLES]
    for head_size in _HEAD_SIZES:
        model = _bert(weights, head_size)
        if model is not None and _difference(model, reference_states) < _SAME:
            model.save_pretrained(str(draft), safe_serialization=True)
            copy_files(source, draft, _BESIDE)
            return
    raise TrainingError(f"{graph} is no BERT whose weights could be restored; name a safetensors model as the base.")


def named_weights(graph: Path) -> dict[str, NDArray[np.generic]]:
    """BERT's names to arrays: as in the graph, and for a matrix product by the node's own name."""
    import onnx
    from onnx import numpy_helper

    graph_proto = onnx.load(str(graph)).graph
    initialisers = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph_proto.initializer}
    weights = {name: value for name, value in initialisers.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph_proto.node:
        if node.op_type == "MatMul" and len(node.input) == 2 and node.input[1] in initialisers:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            weights[f"{name}.weight"] = initialisers[node.input[1]].T.copy()  # ONNX multiplies from the other side
    return weights


def _bert(weights: Mapping[str, NDArray[np.generic]], head_size: int) -> BertModel | None:
    """None if the names or shapes are not those of a BERT."""
    with torch_imports:
        import torch
        from transformers import BertConfig, BertModel
    try:
        words, places = weights["embeddings.word_embeddings.weight"], weights["embeddings.position_embeddings.weight"]
        inner = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
    except KeyError:
        return None
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    if words.shape[1] % head_size:
        return None
    config = BertConfig(
        vocab_size=words.shape[0],
        hidden_size=words.shape[1],
        max_position_embeddings=places.shape[0],
        num_hidden_layers=layers,
        num_attention_heads=words.shape[1] // head_size,
        intermediate_size=inner,
    )
    model = BertModel(config, add_pooling_layer=False)
    state = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    try:
        missing_names = model.load_state_dict(state, strict=False).missing_keys
    except RuntimeError:  # a wrong shape
        return None
    model.train(False)
    return None if missing_names else model


def _difference(model: BertModel, reference: list[NDArray[np.float32]]) -> float:
    import torch

    with torch.inference_mode():
        restored_states = [model(torch.tensor([list(sample.ids)])).last_hidden_state[0].numpy() for sample in _SAMPLES]
    return max(float(np.abs(a - b).max()) for a, b in zip(restored_states, reference, strict=True))


@contextmanager
def transformers_for(folder: Path, *, threads: int, seed: int) -> Iterator[Any]:
    """``transformers`` for the block that loads from the folder; ``threads`` 0 keeps torch's own.

    Raises TrainingError if the folder has no safetensors, ModelMissing if the block cannot load them.
    """
    if not list(folder.glob("*.safetensors")):
        raise TrainingError(f"{folder} holds a graph without weights that could learn; name a safetensors model.")
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is imported; a folder needs no hub
    with torch_imports:
        import torch
        import transformers

        # transformers imports its parts at first use: here, under the lock.
        _ = transformers.AutoConfig, transformers.AutoModel, transformers.AutoModelForSequenceClassification
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call] # loading takes milliseconds
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(seed)  # for the new layers
    try:
        yield transformers
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded for training: {str(error)[:200]}") from None


def fastest_precision(device: str = "cpu") -> Precision:
    """``bfloat16`` if the processor (or the GPU) supports it, else ``float32``."""
    import torch

    if device.startswith("cuda"):
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    able = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bfloat16" if able else "float32"


def arithmetic(precision: Precision, device: str = "cpu") -> AbstractContextManager[None]:
    """A context for forward passes. ``bfloat16`` is some three times as fast on processors that support it
    (avx512_bf16, amx) and on GPUs; on others slower.
    """
    import torch

    return torch.autocast(device.partition(":")[0], torch.bfloat16, enabled=precision == "bfloat16")
