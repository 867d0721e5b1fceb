"""Models as files of ONNX: what a party may hand out, features and released rows to class probabilities. `to_onnx` alone
imports this, and so onnx."""
from __future__ import annotations

import importlib
import os
import pathlib
from typing import Any

from . import _arrays, _core, errors
from ._run import Model
from ._weights import Source, refuse_gap, source

_OPSET, _FORM = 17, 8  # what onnxruntime has read since 2022
_ACTIVATIONS = {"none": "", "relu": "Relu", "selu": "Selu", "tanh": "Tanh", "sigmoid": "Sigmoid"}


class _Graph:
    """Nodes and constants that are added in the order of their computation."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any, kind: str = "f4") -> str:
        """The name of an array."""
        name = f"constant{len(self.constants)}"
        made = _arrays.numpy().ascontiguousarray(values, dtype=kind)
        self.constants.append(self.onnx.numpy_helper.from_array(made, name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of what an operator makes."""
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def scaled(self, x: str, mean: Any, factor: Any) -> str:
        """(x - mean) * factor, by columns."""
        return self.add("Mul", self.add("Sub", x, self.constant(mean)), self.constant(factor))

    def perceptron(self, x: str, layers: list[tuple[Any, Any]], activation: str, last: bool) -> str:
        """Linear layers with activations, after the last one too where `last`."""
        for k, (weight, bias) in enumerate(layers):
            x = self.add("Add", self.add("MatMul", x, self.constant(weight)), self.constant(bias))
            if _ACTIVATIONS[activation] and (last or k + 1 < len(layers)):
                x = self.add(_ACTIVATIONS[activation], x)
        return x


def _features(graph: _Graph, of: Source) -> str:
    """Features as they are scaled before a training."""
    if of.scale == "standard":
        return graph.scaled("x", *of.standard())
    if of.scale == "l2":
        norm = graph.add("ReduceL2", "x", axes=[1], keepdims=1)
        return graph.add("Div", "x", graph.add("Max", norm, graph.constant([1e-30])))
    return "x"


def _encoder(graph: _Graph, of: Source) -> str:
    return graph.perceptron(_features(graph, of), of.layers("encoder"), of.options["activation"], True)


def _decoded(graph: _Graph, of: Source) -> str:
    """Of `gap`: own embeddings and the released rows of the same nodes, normalised, then the classifier."""
    own = graph.scaled(_encoder(graph, of), *of.embedding_moments())
    read = graph.add("Gather", graph.constant(of.released_rows()), "nodes", axis=0)
    both = graph.add("Concat", own, read, axis=1)
    norm = [graph.constant(of.found[f"decoder.norm.{name}"][0]) for name in ("gamma", "beta", "mean", "variance")]
    return graph.perceptron(graph.add("BatchNormalization", both, *norm, epsilon=1e-5), of.layers("decoder"), "relu",
                            False)


def write(path: str | os.PathLike[str], folder: pathlib.Path, seed: int, options: dict[str, str], model: Model,
          features: Any) -> None:
    """Writes one seed of a run folder; the file is new, or whole as it was."""
    method, adjacency = options["method"], options["adjacency"]
    if (method, adjacency) not in (("mlp", "none"), ("mlp", "edge"), ("gap", "edge")):
        raise errors.Unsupported(f"to_onnx: not of models of {method} with adjacency {adjacency}; it is there for mlp "
                                 "without noise, and for gap at edge level")
    if method == "gap":
        refuse_gap("to_onnx", options, model)
    try:
        onnx: Any = importlib.import_module("onnx")
    except ImportError as problem:
        raise errors.NotFound("to_onnx: onnx is not installed: pip install onnx") from problem
    of, graph = source(folder, seed, options, model, features), _Graph(onnx)
    logits = _decoded(graph, of) if method == "gap" else graph.perceptron(_encoder(graph, of), of.layers("head"),
                                                                          "none", False)
    graph.nodes.append(onnx.helper.make_node("Softmax", [logits], ["probabilities"], axis=1))
    made = _model(onnx, graph, method, int(features.shape[1]), model.classes)
    target = pathlib.Path(os.fsdecode(_core.encoded(path, "path")))
    partial = target.with_name(target.name + ".partial")
    partial.write_bytes(made.SerializeToString())
    os.replace(partial, target)


def _model(onnx: Any, graph: _Graph, method: str, width: int, classes: int) -> Any:
    kinds, value = onnx.TensorProto, onnx.helper.make_tensor_value_info
    inputs = [value("x", kinds.FLOAT, ["rows", width])]
    if method == "gap":
        inputs.append(value("nodes", kinds.INT64, ["rows"]))
    outputs = [value("probabilities", kinds.FLOAT, ["rows", classes])]
    made = onnx.helper.make_model(onnx.helper.make_graph(graph.nodes, method, inputs, outputs, graph.constants),
                                  opset_imports=[onnx.helper.make_opsetid("", _OPSET)], producer_name="sotto")
    made.ir_version = _FORM
    onnx.checker.check_model(made)
    return made
