"""How a file or a table is read: what `load` and `Graph` were told, as the library's reader takes it."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import _core, _frames, _options, errors
from ._core import ffi, lib
from .schema import Column, Schema

_MISSING = {None: 0, "mean": 1, "zero": 2}
_HEADER = {None: 0, True: 1, False: 2}


def _free_dataset(_keep: Any) -> Any:
    """A destructor of a dataset that keeps what it borrows until then."""
    def free(data: Any, _keep: Any = _keep) -> None:
        lib.sotto_dataset_free(data)
    return free


def dataset(fill: Callable[[Any], None], keep: Any) -> Any:
    """A dataset of the library, which frees itself, and keeps what it borrows until then."""
    out = ffi.new("sotto_dataset *")
    fill(out)
    return ffi.gc(out, _free_dataset(keep))


@dataclass
class Reading:
    """The arguments of `load`, as it explains them."""

    target: str | None = None
    nodes: str | os.PathLike[str] | None = None
    label: str | None = None
    types: Mapping[str, str] | None = None
    missing: str | None = None
    missing_words: Sequence[str] | None = None
    header: bool | None = None
    decimal: str = "."
    split: str | os.PathLike[str] | None = None
    schema: Schema | None = None
    others: bool = False
    nodes_only: bool = False
    task: str | None = None
    edges_to_others: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.types is not None and not isinstance(self.types, Mapping):
            raise errors.InvalidArgument(f"types: a dict is wanted, not {type(self.types).__name__}")
        if not isinstance(self.others, bool):
            raise errors.InvalidArgument(f"others: True or False is wanted, not {type(self.others).__name__}")
        if self.missing_words is not None:
            _core.listed(self.missing_words, "missing_words")

    def open(self, path: str | os.PathLike[str]) -> Any:
        """Reads the file."""
        if not isinstance(self.missing, (str, type(None))) or self.missing not in _MISSING or self.decimal not in (".", ","):
            raise ValueError("missing is None, 'mean' or 'zero'; decimal is '.' or ','")
        if self.others and self.schema is None:
            raise errors.InvalidArgument("others: words and classes that a schema lacks; give the schema")
        listed = None if self.types is None else ",".join(f"{name}={kind}" for name, kind in self.types.items())
        words = None if self.missing_words is None else ",".join(map(str, self.missing_words))
        options = ffi.new("sotto_import_options *")
        texts = {"target": self.target, "nodes_table": self.nodes, "label": self.label, "types": listed,
                 "missing_words": words, "split": self.split,
                 "edges_to_others": self.edges_to_others}
        keep = {key: ffi.new("char[]", _core.encoded(text, "load")) for key, text in texts.items() if text is not None}
        for key, text in keep.items():
            setattr(options, key, text)
        options.missing, options.header = _MISSING[self.missing], _HEADER[self.header]
        options.regression = _options.regression(self.task)
        options.decimal_comma, options.nodes_only, options.others = self.decimal == ",", self.nodes_only, self.others
        if self.schema is not None:
            options.schema = self.schema._schema
        name = _core.encoded(path, "path")
        return dataset(lambda out: _core.call(lib.sotto_dataset_open, out, name, options), None)

    def open_table(self, table: _frames.Table, nodes: int) -> Any:
        """Reads columns in memory as a table of nodes without edges. Ids are the numbers of rows."""
        schema, name = self._with_id()
        ids = _frames.Table({name: list(range(nodes))}, {name: float}, {name: "id"})
        if name in table.columns:
            raise errors.InvalidArgument(f"x: the column {name!r} has ids; name it in ids, or leave it out")
        ids.columns.update(table.columns)
        ids.kinds.update(table.kinds)
        kinds = dict(self.types or {})
        if schema is None:
            kinds |= ids.types
            _frames.add_types(kinds, table.types, list(table.columns), self.label)
        with _frames.folder() as folder:
            path = os.path.join(folder, "x.csv")
            ids.write(path)
            told = replace(self, types=kinds or None, schema=schema, label=None if schema is not None else self.label,
                           nodes_only=True)
            with _frames.named(path, "x"):
                return told.open(path)

    def _with_id(self) -> tuple[Schema | None, str]:
        """The schema with a column of ids, and its name."""
        if self.schema is None:
            return None, "id"
        kinds = {column.type: column.name for column in self.schema.columns}
        learnt = [kinds[kind] for kind in ("label", "outcome") if kind in kinds]
        if self.label is not None and learnt and self.label not in learnt:
            raise errors.InvalidArgument(f"y: the schema's column to learn is {' or '.join(map(repr, learnt))}, not {self.label!r}")
        if "id" in kinds:
            return self.schema, kinds["id"]
        return Schema([Column("id", "id"), *self.schema.columns], self.schema.classes), "id"
