"""Schemas: what the columns of a table are, by name. Datasets, run folders and models keep one."""
from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core, errors
from ._core import NULL, ffi, lib

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[^\s,:\[\]{}"]+')
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_SHOWN = 20  # names in a repr


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
    type : "number", "category", "date", "flag", "label", "outcome" (a number to learn), "id", "split" or "drop"
    missing : "refuse", "mean" or "zero", optional
        How cells without a value are filled; of columns that become features.
    words : tuple of str, optional
        Of a category: one for each of its features, in their order.
    mean, variance : tuple of float, optional
        Of a model that standardises its features: one for each feature of the column.
    more : tuple of pairs, optional
        Other keys that the library writes for a column, with their values.
    """

    name: str
    type: str
    missing: str | None = None
    words: tuple[str, ...] | None = None
    mean: tuple[float, ...] | None = None
    variance: tuple[float, ...] | None = None
    more: tuple[tuple[str, Any], ...] = ()


def names_of(names: Any) -> list[str]:
    """A list of names of the library."""
    return [_core.text(names.text + names.starts[i]) for i in range(int(names.count))]


class Schema:
    """The columns of a table with their types and words, and the names of its classes.

    It is immutable, and the library's own: what it reads, checks and writes.

    Parameters
    ----------
    columns : sequence of Column or dict
        In the order of the table. A dict has the keys of `Column`.
    classes : sequence of str, optional
        Names of the classes, in the order of their numbers.
    source, target : str, optional
        The columns of the ends of an edge.
    kinds : sequence of str, optional
        Names of the kinds of transfers, at most 16, whether or not each occurs.

    Raises
    ------
    ParseError
        A type, a word or a name that cannot be, or that stands twice.

    Examples
    --------
    >>> import sotto
    >>> schema = sotto.Schema([{"name": "age", "type": "number", "missing": "mean"},
    ...                        {"name": "city", "type": "category", "words": ["Paris", "Rome"]}], classes=["no", "yes"])
    >>> schema
    Schema(age: number, city: category of 2 words; classes: no, yes)
    >>> schema.features
    ['age', 'city=Paris', 'city=Rome']
    """

    _found = False  # words of graphs that were joined, found in their rows

    def __init__(self, columns: Sequence[Column | Mapping[str, Any]], classes: Sequence[str] = (), *,
                 source: str | None = None, target: str | None = None, kinds: Sequence[str] = ()) -> None:
        if (source is None) != (target is None):
            raise errors.InvalidArgument("source, target: give both or neither")
        fields: dict[str, Any] = {"columns": [_fields(one) for one in _core.listed(columns, "columns")]}
        if len(_core.listed(classes, "classes")) > 0:
            fields["classes"] = list(classes)
        if len(_core.listed(kinds, "kinds")) > 0:
            fields["kinds"] = list(kinds)
        if source is not None:
            fields["edges"] = {"source": source, "target": target}
        self._schema = _parsed(fields)

    @classmethod
    def _wrap(cls, pointer: Any) -> Schema | None:
        """Takes over a schema of the library; None where there is none."""
        if pointer == NULL:
            return None
        out = cls.__new__(cls)
        out._schema = ffi.gc(pointer, lib.sotto_schema_free)
        return out

    @classmethod
    def _made(cls, call: Callable[[Any], None]) -> Schema | None:
        out = ffi.new("sotto_schema **")
        call(out)
        return cls._wrap(out[0])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Schema:
        """Reads a file as ``sotto data schema --yaml`` writes it.

        Raises
        ------
        NotFound, IOFailure, ParseError
            Naming the line.
        """
        name = _core.encoded(path, "path")
        out = cls._made(lambda made: _core.call(lib.sotto_schema_read, made, name))
        assert out is not None
        return out

    @classmethod
    def of_run(cls, folder: str | os.PathLike[str]) -> Schema | None:
        """The schema of the data that a run was trained on, from its folder; None where these had no names."""
        name = _core.encoded(folder, "folder")
        if not os.path.isdir(name):
            raise errors.NotFound(f"folder: {os.fsdecode(name)} is not a folder")
        return cls._made(lambda made: _core.call(lib.sotto_model_read_schema, made, name))

    @classmethod
    def from_yaml(cls, text: str) -> Schema:
        """Reads the YAML that `to_yaml` and the program write."""
        data = _core.encoded(text, "text")
        out = cls._made(lambda made: _core.call(lib.sotto_schema_parse, made, b"schema", data, len(data)))
        assert out is not None
        return out

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Schema:
        """Reads what `to_dict` gives: the keys of the YAML."""
        if not isinstance(fields, Mapping):
            raise errors.InvalidArgument(f"fields: a dict is wanted, not {type(fields).__name__}")
        out = cls.__new__(cls)
        out._schema = _parsed({key: value for key, value in fields.items() if key != "sotto-schema"})
        return out

    def to_yaml(self) -> str:
        """YAML that `from_yaml` and the program's ``--schema`` take."""
        out = ffi.new("char **")
        _core.call(lib.sotto_schema_yaml, out, self._schema)
        try:
            return _core.text(out[0])
        finally:
            lib.sotto_text_free(out[0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_yaml` to a file."""
        pathlib.Path(os.fsdecode(_core.encoded(path, "path"))).write_text(self.to_yaml(), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """The keys of the YAML, as lists and texts."""
        out: dict[str, Any] = {}
        columns: list[dict[str, Any]] = []
        for line in self.to_yaml().rstrip("\n").split("\n"):
            if line.startswith("- "):
                columns.append(_flow(line[2:]))
            else:
                key, value = line.split(":", 1)
                out[key] = _flow(value) if value else columns
        return out

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in the order of the table."""
        return tuple(map(_column, self.to_dict()["columns"]))

    @property
    def features(self) -> list[str]:
        """Names of the features, in the order of the columns of `Graph.x`: NAME, or NAME=WORD of a category."""
        out: list[str] = []
        for column in self.columns:
            if column.words is not None:
                out += [f"{column.name}={word}" for word in column.words]
            elif column.missing is not None:
                out.append(column.name)
        return out

    @property
    def moments(self) -> tuple[list[float], list[float]] | None:
        """Means and variances of the features, by which a model standardises them; None: it does not."""
        kept, count = self._schema.moments, int(self._schema.feature_count)
        if kept == NULL:
            return None
        return [kept[i] for i in range(count)], [kept[count + i] for i in range(count)]

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of their numbers; empty: they are numbers."""
        return names_of(self._schema.classes)

    @property
    def kinds(self) -> list[str]:
        """Names of the kinds of transfers, in the order of their numbers; empty: kinds are not read."""
        return names_of(self._schema.kinds)

    @property
    def source(self) -> str | None:
        """The column of one end of an edge, where it has a name."""
        return None if self._schema.source == NULL else _core.text(self._schema.source)

    @property
    def target(self) -> str | None:
        """The column of the other end."""
        return None if self._schema.target == NULL else _core.text(self._schema.target)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.to_yaml() == other.to_yaml()

    def __hash__(self) -> int:
        return hash(self.to_yaml())

    def __reduce__(self) -> Any:
        return Schema.from_yaml, (self.to_yaml(),)

    def __repr__(self) -> str:
        parts = [f"{c.name}: {c.type}" + ("" if c.words is None else f" of {len(c.words)} words") for c in self.columns]
        classes = f"; classes: {_few(self.classes)}" if self.classes else ""
        return f"Schema({_few(parts)}{classes})"


def _few(texts: list[str]) -> str:
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def _flow(text: str) -> Any:
    """A value as the library writes it in YAML: JSON, but for words without quotes."""
    def quoted(token: re.Match[str]) -> str:
        found = token.group()
        return found if found[0] == '"' or _NUMBER.fullmatch(found) else json.dumps(found)
    return json.loads(_TOKEN.sub(quoted, text))


def _column(fields: dict[str, Any]) -> Column:
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items() if key != "since"}
    more = tuple((key, given.pop(key)) for key in list(given) if key not in Column.__dataclass_fields__)
    return Column(**given, more=more)


def _fields(column: Column | Mapping[str, Any]) -> dict[str, Any]:
    given: Any = column
    if isinstance(column, Column):
        own = {name: getattr(column, name) for name in Column.__dataclass_fields__ if name != "more"}
        given = {**own, **dict(column.more)}
    if not isinstance(given, Mapping):
        raise errors.InvalidArgument(f"columns: a Column or a dict is wanted, not {type(given).__name__}")
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items() if value is not None}


def _parsed(fields: dict[str, Any]) -> Any:
    """A schema of the library. JSON is YAML, so that the library's reader alone says what a schema may be."""
    try:
        text = json.dumps({"sotto-schema": 1, **fields}, ensure_ascii=False)
    except (TypeError, ValueError) as problem:
        raise errors.InvalidArgument(f"schema: texts, numbers and lists are wanted: {problem}") from problem
    for refused in "\ufffe\uffff":  # libyaml refuses them in a file, unless they are escaped
        text = text.replace(refused, f"\\u{ord(refused):04X}")
    return Schema.from_yaml(text)._schema


def as_schema(value: Any) -> Schema | None:
    """What the argument `schema` may be: a Schema, a path, the dict of `to_dict`, or None."""
    if value is None or isinstance(value, Schema):
        return value
    if isinstance(value, Mapping):
        return Schema.from_dict(value)
    if isinstance(value, (str, bytes, os.PathLike)):
        return Schema.read(os.fsdecode(value))
    raise errors.InvalidArgument(f"schema: a sotto.Schema, a path or a dict is wanted, not {type(value).__name__}")
