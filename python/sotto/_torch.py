"""Models as modules of torch, written with its plain operations. `to_torch` alone imports this, and so torch."""
from __future__ import annotations

import importlib
import pathlib
from typing import Any

from . import errors
from ._run import Model
from ._weights import Source, refuse_gap, source

torch: Any = importlib.import_module("torch")  # not among what the package needs
nn = torch.nn
_ACTIVATIONS = {"none": nn.Identity, "relu": nn.ReLU, "selu": nn.SELU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}
_KINDS = "mlp, gnn and sage without noise, and gap at edge level"


def _refuse(options: dict[str, str], model: Model) -> None:
    method, adjacency = options["method"], options["adjacency"]
    wanted = {"mlp": ("none", "edge"), "gnn": ("none",), "sage": ("none",), "gap": ("edge",)}
    if method not in wanted:
        raise errors.Unsupported(f"to_torch: not of models of {method}; it is there for {_KINDS}")
    if adjacency not in wanted[method]:
        raise errors.Unsupported(f"to_torch: not of models of {method} with adjacency {adjacency}; it is there for "
                                 f"{_KINDS}")
    if method == "gap":
        refuse_gap("to_torch", options, model)
    elif method in ("gnn", "sage"):
        _refuse_network(options)


def _refuse_network(options: dict[str, str]) -> None:
    plain = {"degree-cut": "false", "release-scale": "unit", "layer-weights": "false", "combine": "cat",
             "release-activation": "none", "accounting": "sound"}
    for key, value in plain.items():
        if options.get(key, value) != value:
            raise errors.Unsupported(f"to_torch: {key} {options[key]} is not written for torch; {value} is")


def _linear(source: Source, name: str, bias: bool = True, weight: str = ".weight") -> Any:
    values = source.found[name + weight]
    made = nn.Linear(*values.shape, bias=bias)
    made.weight.data = _fixed(values.T.copy())
    if bias:
        made.bias.data = _fixed(source.found[name + ".bias"][0])
    return made


def _perceptron(source: Source, name: str, activation: str, last: bool) -> Any:
    """Linear layers with activations, after the last one too where `last`."""
    steps: list[Any] = []
    for k in range(len(source.layers(name))):
        steps += [_linear(source, f"{name}.{k + 1}"), _ACTIVATIONS[activation]()]
    return nn.Sequential(*(steps if last else steps[:-1]))


def _fixed(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float32)


def _spread(rows: Any, edge_index: Any, kind: str, own: bool) -> Any:
    """Sums or means over neighbours; edges both ways, once each, without loops."""
    count = rows.shape[0]
    source, target = edge_index.long()
    if source.numel() and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < count:
        raise errors.OutOfRange(f"edge_index: node numbers are 0 to {count - 1}")
    ends = torch.cat([source * count + target, target * count + source])
    keys = torch.unique(ends[(source != target).repeat(2)])
    source, target = keys // count, keys % count
    degree = torch.bincount(target, minlength=count).to(rows.dtype).unsqueeze(1)
    scale = (degree + 1).rsqrt() if kind == "gcn" else 1 / (degree + 1 if own else degree.clamp(min=1))
    given = rows * scale if kind == "gcn" else rows
    total = (given * float(own)).index_add(0, target, given[source])
    return total if kind == "gin" else total * scale


class Scaled(nn.Module):  # type: ignore[misc, name-defined]
    """Features as they are scaled before a training."""

    def __init__(self, source: Source) -> None:
        nn.Module.__init__(self)
        self.kind = source.scale
        mean, factor = source.standard() if self.kind == "standard" else (0.0, 1.0)
        self.register_buffer("mean", _fixed(mean))
        self.register_buffer("factor", _fixed(factor))

    def forward(self, x: Any) -> Any:
        return nn.functional.normalize(x, eps=1e-30) if self.kind == "l2" else (x - self.mean) * self.factor


class Perceptron(nn.Module):  # type: ignore[misc, name-defined]
    """`forward(x)`: features alone."""

    def __init__(self, source: Source) -> None:
        nn.Module.__init__(self)
        self.scaled = Scaled(source)
        self.encoder = _perceptron(source, "encoder", source.options["activation"], True)
        self.head = _perceptron(source, "head", "none", False)

    def forward(self, x: Any) -> Any:
        return self.head(self.encoder(self.scaled(x)))


class Convolutions(nn.Module):  # type: ignore[misc, name-defined]
    """`forward(x, edge_index)`: GCN, mean or GraphSAGE."""

    def __init__(self, source: Source) -> None:
        nn.Module.__init__(self)
        sage = source.options["method"] == "sage"
        names = [f"convolution{k + 1}" for k in range(int(source.options["layers"]))]
        self.scaled, self.kind = Scaled(source), "mean" if sage else source.options["aggregator"]
        self.neighbours = nn.ModuleList(_linear(source, name) for name in names)
        self.own = nn.ModuleList(_linear(source, name, False, ".own") for name in names) if sage else None

    def forward(self, x: Any, edge_index: Any) -> Any:
        x = self.scaled(x)
        for k, layer in enumerate(self.neighbours):
            read = _spread(x @ layer.weight.T, edge_index, self.kind, self.own is None) + layer.bias
            x = read if self.own is None else read + self.own[k](x)
            x = x if k + 1 == len(self.neighbours) else x.relu()
        return x


class Decoded(nn.Module):  # type: ignore[misc, name-defined]
    """A classifier over layers, side by side."""

    def __init__(self, source: Source) -> None:
        nn.Module.__init__(self)
        self.scaled = Scaled(source)
        self.encoder = _perceptron(source, "encoder", source.options["activation"], True)
        self.norm = nn.BatchNorm1d(source.found["decoder.norm.gamma"].shape[1])
        self.norm.load_state_dict({ours: _fixed(source.found[f"decoder.norm.{theirs}"][0]) for ours, theirs in (
            ("weight", "gamma"), ("bias", "beta"), ("running_mean", "mean"), ("running_var", "variance"))}, strict=False)
        self.decoder = _perceptron(source, "decoder", "relu", False)


class Sums(Decoded):
    """`forward(x, edge_index)`: GIN, sums over neighbours in unit rows."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.constant, self.layers = float(source.options["constant"]), int(source.options["layers"])

    def forward(self, x: Any, edge_index: Any) -> Any:
        rows = self.encoder(self.scaled(x))
        if self.constant > 0:
            rows = torch.cat([rows, torch.full_like(rows[:, :1], self.constant)], dim=1)
        layers, last = [rows], nn.functional.normalize(rows, eps=1e-12)
        for _ in range(self.layers):
            last = nn.functional.normalize(_spread(last, edge_index, "gin", True), eps=1e-12)
            layers.append(last)
        return self.decoder(self.norm(torch.cat(layers, dim=1)))


class Released(Decoded):
    """`forward(x, nodes=None)`: released rows of the nodes of the training, which are constants here, and features of
    the same nodes."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        mean, factor = source.embedding_moments()
        self.register_buffer("mean", _fixed(mean))
        self.register_buffer("factor", _fixed(factor))
        self.register_buffer("released", _fixed(source.released_rows()))

    def forward(self, x: Any, nodes: Any = None) -> Any:
        rows = self.released if nodes is None else self.released[nodes]
        own = (self.encoder(self.scaled(x)) - self.mean) * self.factor
        return self.decoder(self.norm(torch.cat([own, rows], dim=1)))


def module(folder: pathlib.Path, seed: int, options: dict[str, str], model: Model, features: Any) -> Any:
    """The module of one seed of a run folder, in evaluation mode."""
    _refuse(options, model)
    made = source(folder, seed, options, model, features)
    if options["method"] == "mlp":
        return Perceptron(made).eval()
    if options["method"] == "gap":
        return Released(made).eval()
    gin = options["method"] == "gnn" and options["aggregator"] == "gin"
    return Sums(made).eval() if gin else Convolutions(made).eval()
