"""Weights and released rows of a run folder as arrays, for what writes a model in another form."""
from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any

from . import _arrays, _core, errors
from ._core import ffi, lib
from ._run import Model
from .schema import Schema


def tensors(path: pathlib.Path) -> dict[str, Any]:
    """The arrays of a safetensors file by their names."""
    np = _arrays.numpy()
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:start])
    return {name: np.frombuffer(data[start:][slice(*entry["data_offsets"])], dtype="<f4").reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def released(path: pathlib.Path, first: int, last: int) -> list[Any]:
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


def moments(rows: Any) -> tuple[Any, Any]:
    """What is subtracted from columns, and what they are then multiplied by."""
    np = _arrays.numpy()
    return centre(rows.mean(axis=0, dtype=np.float64), rows.var(axis=0, dtype=np.float64))


def centre(mean: Any, square: Any) -> tuple[Any, Any]:
    np = _arrays.numpy()
    return mean, np.where(square > 1e-24, 1 / np.sqrt(np.maximum(square, 1e-24)), 0)


def unit(rows: Any) -> Any:
    np = _arrays.numpy()
    norms = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.where(norms > 1e-20, rows / np.maximum(norms, 1e-20), 0)


@dataclass
class Source:
    """What a model is made of."""

    options: dict[str, str]
    found: dict[str, Any]  # arrays of the model file
    features: Any
    folder: pathlib.Path  # of the seed
    model: Model
    schema: Schema | None

    @property
    def scale(self) -> str:
        """How features are scaled: suited is standard where the run kept statistics of the columns, else l2."""
        kind = self.options["feature-scale"]
        if kind != "suited":
            return kind
        return "standard" if self.schema is not None and self.schema.moments is not None else "l2"

    def standard(self) -> tuple[Any, Any]:
        """Means and factors of the columns: those that the run kept, which answers about other data take too."""
        kept = None if self.schema is None else self.schema.moments
        np = _arrays.numpy()
        return moments(self.features) if kept is None else centre(*(np.array(values) for values in kept))

    def layers(self, name: str) -> list[tuple[Any, Any]]:
        """Weights and biases of a perceptron's layers, first to last."""
        found: list[tuple[Any, Any]] = []
        while f"{name}.{len(found) + 1}.weight" in self.found:
            place = f"{name}.{len(found) + 1}"
            found.append((self.found[f"{place}.weight"], self.found[f"{place}.bias"][0]))
        return found

    def embedding_moments(self) -> tuple[Any, Any]:
        """Of `gap`: what its decoder subtracts from a node's own embedding, and what it multiplies it by."""
        return moments(self.model.embeddings())

    def released_rows(self) -> Any:
        """Of `gap`: what neighbours add, as its decoder reads it, a row a node of the training; constants."""
        np = _arrays.numpy()
        rows: list[Any] = []
        for layer in released(self.folder / "release.bin", 1, int(self.options["layers"])):
            one = unit(layer).astype("f4")
            mean, factor = moments(one)
            rows.append((one - mean) * factor)
        return np.concatenate(rows, axis=1)


def source(folder: pathlib.Path, seed: int, options: dict[str, str], model: Model, features: Any) -> Source:
    """Of one seed of a run folder."""
    place = folder / f"seed-{seed}"
    return Source(options, tensors(place / "model.safetensors"), features, place, model, Schema.of_run(folder))


def refuse_gap(call: str, options: dict[str, str], model: Model) -> None:
    """Options of `gap` under which released rows are not all that its decoder reads."""
    plain = {"degree-cut": "false", "release-scale": "unit", "layer-weights": "false", "combine": "cat",
             "accounting": "sound"}
    for key, value in plain.items():
        if options.get(key, value) != value:
            raise errors.Unsupported(f"{call}: {key} {options[key]} is not written; {value} is")
    if float(options["epsilon"]) == float("inf") or model.release_folder:
        raise errors.Unsupported(f"{call}: of gap with a finite epsilon, and its answers about the data of its "
                                 "training")
