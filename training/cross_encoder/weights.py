"""A cross-encoder's weights for training: of a folder with safetensors, read back from the int8 graph that Sonde ships,
or an embedder's with a new head.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from encoders.imports import torch_imports
from encoders.locate import Located
from encoders.quantise import quantise
from encoders.torch_models import INPUTS, accepted_inputs, trace
from training.examples import TrainingError
from training.weights import GRAPH, copy_files, learnable, restored, transformers_for

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel


TABLE, TABLE_SCALES = "table", "by_row"
"""Names in the graph: the word table in eight bits, and the scale of each row (``training.cross_encoder.weights``)."""
_QUANTISED = "_quantized"
_BESIDE = ("tokenizer.json", "tokenizer_config.json", "card.json")


def load_trainable(location: Located, cache: Path, *, threads: int, seed: int) -> PreTrainedModel:
    """transformers' sequence classifier with one label; its word table does not learn, so it stays exact in eight bits.

    Raises TrainingError if the folder holds nothing to learn from, ModelMissing if it cannot be loaded.
    """
    folder = restored(location, cache, _restore) if _is_own_graph(location.folder) else learnable(location, cache)
    with transformers_for(folder, threads=threads, seed=seed) as transformers:
        model: PreTrainedModel = transformers.AutoModelForSequenceClassification.from_pretrained(  # nosec B615
            str(folder), num_labels=1, use_safetensors=True, local_files_only=True, trust_remote_code=False
        )
    word_table(model).weight.requires_grad_(False)
    return model


def word_table(model: PreTrainedModel) -> nn.Embedding:
    return cast("nn.Embedding", model.get_input_embeddings())


def _is_own_graph(folder: Path) -> bool:
    import onnx

    graph = folder / GRAPH
    if not (graph.is_file() and (folder / "config.json").is_file()):
        return False
    names = {tensor.name for tensor in onnx.load(str(graph), load_external_data=False).graph.initializer}
    return {TABLE, TABLE_SCALES} <= names


def _restore(source: Path, draft: Path) -> None:
    with torch_imports:
        import torch
        from transformers import AutoConfig, AutoModelForSequenceClassification

    weights = own_weights(source / GRAPH)
    settings = AutoConfig.from_pretrained(str(source), local_files_only=True, num_labels=1)  # nosec B615
    model = AutoModelForSequenceClassification.from_config(settings)  # type: ignore[no-untyped-call]
    table = torch.from_numpy(weights.pop(TABLE))
    state = {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in weights.items()}
    try:
        lacks = set(model.load_state_dict(state, strict=False).missing_keys)
        words = word_table(model)
        with torch.no_grad():
            words.weight.copy_(table)
    except RuntimeError as error:
        raise TrainingError(f"The graph of {source} does not fit its config.json: {str(error)[:150]}") from error
    if lacks - {name for name, value in model.named_parameters() if value is words.weight}:
        raise TrainingError(f"The graph of {source} lacks weights that its config.json names: {sorted(lacks)[0]}.")
    model.save_pretrained(str(draft), safe_serialization=True)
    copy_files(source, draft, _BESIDE)


def own_weights(graph: Path) -> dict[str, NDArray[np.float32]]:
    """The classifier's names -> float arrays of an int8 graph; ``TABLE`` is the word table."""
    import onnx
    from onnx import numpy_helper

    graph_proto = onnx.load(str(graph)).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph_proto.initializer}
    weights = {
        name.partition(".")[2]: value.astype(np.float32)
        for name, value in arrays.items()
        if "." in name and value.dtype == np.float32 and not name.endswith("_scale")
    }
    for node in graph_proto.node:
        if node.op_type == "MatMulInteger" and node.input[1].endswith(_QUANTISED):
            source = node.input[1].removesuffix(_QUANTISED)
            whole = arrays[node.input[1]].astype(np.float32) - arrays[f"{source}_zero_point"].astype(np.float32)
            weights[_layer_name(node.name)] = (whole * arrays[f"{source}_scale"]).T
    weights[TABLE] = arrays[TABLE].astype(np.float32) * arrays[TABLE_SCALES]
    return weights


def _layer_name(node: str) -> str:
    """``/m/bert/pooler/dense/Gemm_MatMul_quant`` is ``bert.pooler.dense.weight``."""
    return ".".join([*node.strip("/").split("/")[1:-1], "weight"])


_LARGEST = 127.0


def write_int8_graph(classifier: PreTrainedModel, folder: Path) -> Path:
    """``model.onnx`` in ``folder``; its size is a quarter of the weights in 32 bits. The classifier is used up."""
    import torch

    classifier.train(False)
    classifier.set_attn_implementation("eager")  # plain operators trace for any length
    full_graph, example = folder / ".fp32.onnx", torch.ones((2, 7), dtype=torch.long)
    trace(
        _with_byte_table(classifier),
        (example, example, torch.zeros_like(example)),
        full_graph,
        INPUTS,
        "logits",
        {0: "batch"},
    )
    quantise(full_graph, folder / GRAPH, "portable")
    full_graph.unlink()
    return folder / GRAPH


def _with_byte_table(classifier: PreTrainedModel) -> nn.Module:
    """The classifier with its word table in eight bits, one scale for each row: half of a small model's size."""
    import torch

    words = word_table(classifier).weight.detach()
    scales = words.abs().amax(1, keepdim=True).clamp(min=1e-8) / _LARGEST
    classifier.set_input_embeddings(torch.nn.Embedding(1, words.shape[1]))
    names = accepted_inputs(classifier, INPUTS[1:])

    class ByteTable(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.m = classifier
            self.table = torch.nn.Buffer((words / scales).round().to(torch.int8))
            self.by_row = torch.nn.Buffer(scales)

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS[1:], (attention_mask, token_type_ids), strict=True))
            vectors = self.table[input_ids].float() * self.by_row[input_ids]
            logits: Tensor = self.m(inputs_embeds=vectors, **{name: inputs[name] for name in names}).logits
            return logits

    return ByteTable().eval()
