"""Models as modules of torch, written with its plain operations. `to_torch` alone imports this, and so torch."""
from __future__ import annotations

import importlib
import json
import pathlib
from dataclasses import dataclass
from typing import Any

from . import _arrays, _core, errors
from ._core import ffi, lib
from ._run import Model
from .schema import Schema

torch: Any = importlib.import_module("torch")  # not among what the package needs
nn = torch.nn
_ACTIVATIONS = {"none": nn.Identity, "relu": nn.ReLU, "selu": nn.SELU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}
_KINDS = "mlp, gnn and sage without noise, and gap at edge level"


def tensors(path: pathlib.Path) -> dict[str, Any]:
    """The arrays of a safetensors file by their names."""
    np = _arrays.numpy()
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:start])
    return {name: np.frombuffer(data[start:][slice(*entry["data_offsets"])], dtype="<f4").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def _released(path: pathlib.Path, first: int, last: int) -> list[Any]:
    """Layers of a release, copied."""
    np = _arrays.numpy()
    out = ffi.new("sotto_release **")
    copies: list[Any] = []
    _core.call(lib.sotto_release_load, out, _core.encoded(path, "release"))
    release = ffi.gc(out[0], lib.sotto_release_free)
    for k in range(first, last + 1):
        layer = lib.sotto_release_layer(release, k)
        address = int(ffi.cast("uintptr_t", layer.data))
        copies.append(np.array(_arrays.held(release, address, (int(layer.rows), int(layer.cols)), "<f4")))
    return copies


def _moments(rows: Any) -> tuple[Any, Any]:
    """What is subtracted from columns, and what they are then multiplied by."""
    np = _arrays.numpy()
    return _centre(rows.mean(axis=0, dtype=np.float64), rows.var(axis=0, dtype=np.float64))


def _centre(mean: Any, square: Any) -> tuple[Any, Any]:
    np = _arrays.numpy()
    return mean, np.where(square > 1e-24, 1 / np.sqrt(np.maximum(square, 1e-24)), 0)


def _unit(rows: Any) -> Any:
    np = _arrays.numpy()
    norms = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.where(norms > 1e-20, rows / np.maximum(norms, 1e-20), 0)


def _refuse(options: dict[str, str], model: Model) -> None:
    method, adjacency = options["method"], options["adjacency"]
    wanted = {"mlp": ("none", "edge"), "gnn": ("none",), "sage": ("none",), "gap": ("edge",)}
    if method not in wanted:
        raise errors.Unsupported(f"to_torch: not of models of {method}; it is there for {_KINDS}")
    if adjacency not in wanted[method]:
        raise errors.Unsupported(f"to_torch: not of models of {method} with adjacency {adjacency}; it is there for "
                                 f"{_KINDS}")
    plain = {"degree-cut": "false", "release-scale": "unit", "layer-weights": "false", "combine": "cat",
             "release-activation": "none", "accounting": "sound"}
    if method in ("gnn", "sage", "gap"):
        for key, value in plain.items():
            if options.get(key, value) != value and not (method == "gap" and key == "release-activation"):
                raise errors.Unsupported(f"to_torch: {key} {options[key]} is not written for torch; {value} is")
    if method == "gap" and (float(options["epsilon"]) == float("inf") or model.release_folder):
        raise errors.Unsupported("to_torch: of gap with a finite epsilon, and its answers about the data of its "
                                 "training")


@dataclass
class Source:
    """What a module is made of."""

    options: dict[str, str]
    found: dict[str, Any]  # arrays of the model file
    features: Any
    folder: pathlib.Path  # of the seed
    model: Model
    schema: Schema | None

    def standard(self) -> tuple[Any, Any]:
        """Means and factors of the columns: those that the run kept, which answers about other data take too."""
        kept = None if self.schema is None else self.schema.moments
        np = _arrays.numpy()
        return _moments(self.features) if kept is None else _centre(*(np.array(values) for values in kept))

    def linear(self, name: str, bias: bool = True, weight: str = ".weight") -> Any:
        """A linear layer."""
        values = self.found[name + weight]
        made = nn.Linear(*values.shape, bias=bias)
        made.weight.data = _fixed(values.T.copy())
        if bias:
            made.bias.data = _fixed(self.found[name + ".bias"][0])
        return made

    def perceptron(self, name: str, activation: str, last: bool) -> Any:
        """Linear layers with activations, after the last one too where `last`."""
        steps: list[Any] = []
        while f"{name}.{len(steps) // 2 + 1}.weight" in self.found:
            steps += [self.linear(f"{name}.{len(steps) // 2 + 1}"), _ACTIVATIONS[activation]()]
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
        self.kind = source.options["feature-scale"]
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
        self.encoder = source.perceptron("encoder", source.options["activation"], True)
        self.head = source.perceptron("head", "none", False)

    def forward(self, x: Any) -> Any:
        return self.head(self.encoder(self.scaled(x)))


class Convolutions(nn.Module):  # type: ignore[misc, name-defined]
    """`forward(x, edge_index)`: GCN, mean or GraphSAGE."""

    def __init__(self, source: Source) -> None:
        nn.Module.__init__(self)
        sage = source.options["method"] == "sage"
        names = [f"convolution{k + 1}" for k in range(int(source.options["layers"]))]
        self.scaled, self.kind = Scaled(source), "mean" if sage else source.options["aggregator"]
        self.neighbours = nn.ModuleList(source.linear(name) for name in names)
        self.own = nn.ModuleList(source.linear(name, False, ".own") for name in names) if sage else None

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
        self.encoder = source.perceptron("encoder", source.options["activation"], True)
        self.norm = nn.BatchNorm1d(source.found["decoder.norm.gamma"].shape[1])
        self.norm.load_state_dict({ours: _fixed(source.found[f"decoder.norm.{theirs}"][0]) for ours, theirs in (
            ("weight", "gamma"), ("bias", "beta"), ("running_mean", "mean"), ("running_var", "variance"))}, strict=False)
        self.decoder = source.perceptron("decoder", "relu", False)


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
        mean, factor = _moments(source.model.embeddings())
        self.register_buffer("mean", _fixed(mean))
        self.register_buffer("factor", _fixed(factor))
        layers: list[Any] = []
        for rows in _released(source.folder / "release.bin", 1, int(source.options["layers"])):
            unit = _unit(rows).astype("f4")
            centre, scale = _moments(unit)
            layers.append((unit - centre) * scale)
        self.register_buffer("released", _fixed(_arrays.numpy().concatenate(layers, axis=1)))

    def forward(self, x: Any, nodes: Any = None) -> Any:
        rows = self.released if nodes is None else self.released[nodes]
        own = (self.encoder(self.scaled(x)) - self.mean) * self.factor
        return self.decoder(self.norm(torch.cat([own, rows], dim=1)))


def module(folder: pathlib.Path, seed: int, options: dict[str, str], model: Model, features: Any) -> Any:
    """The module of one seed of a run folder, in evaluation mode."""
    _refuse(options, model)
    place = folder / f"seed-{seed}"
    source = Source(options, tensors(place / "model.safetensors"), features, place, model, Schema.of_run(folder))
    if options["method"] == "mlp":
        return Perceptron(source).eval()
    if options["method"] == "gap":
        return Released(source).eval()
    gin = options["method"] == "gnn" and options["aggregator"] == "gin"
    return Sums(source).eval() if gin else Convolutions(source).eval()
