"""The options of methods, from the library's tables: how they are called, what they take, and their text."""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

from . import _core, errors
from ._core import NULL, ffi, lib

# Options that say where data come from; those of tables say how they are read. A Graph has all of that.
OF_FILES = frozenset({"method", "data", "ids"})
_LEARNT = "task"  # of the options of tables the one that says what is learnt, too


@dataclass(frozen=True)
class Option:
    """One option of a method."""

    key: str
    kind: str  # "text", "word", "count", "real", "switch"
    least: float
    most: float
    choices: tuple[str, ...]
    default: str  # of a run in which nothing is given
    rules: str  # the default's conditions, where it goes by other options
    help: str

    @property
    def name(self) -> str:
        """The key as a name of Python."""
        return self.key.replace("-", "_")

    def text_of(self, value: Any) -> str:
        """A value as the library reads it; the library checks ranges and choices."""
        if self.kind == "switch":
            if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
                raise errors.InvalidArgument(f"{self.name}: True or False is wanted, not {value!r:.60}")
            return "true" if value else "false"
        if self.kind == "count":
            return str(_core.whole(value, self.name, 0, 2**64 - 1))
        if self.kind == "real":
            number = _core.real(value, self.name)
            if math.isnan(number):
                raise errors.NotFinite(f"{self.name}: not a number")
            return ("inf" if number > 0 else "-inf") if math.isinf(number) else repr(number)
        return _core.encoded(value, self.name).decode("utf-8", "surrogateescape")

    def value_of(self, text: str) -> Any:
        """The text of a value as Python has it."""
        if self.kind == "switch":
            return text == "true"
        if self.kind == "count":
            return int(text)
        return float(text) if self.kind == "real" else text


_KINDS = {"SOTTO_TEXT": "text", "SOTTO_WORD": "word", "SOTTO_COUNT": "count", "SOTTO_REAL": "real",
          "SOTTO_SWITCH": "switch"}


def _option(info: Any, method: bytes) -> Option:
    rules = ffi.new("char[600]")
    _core.call(lib.sotto_method_default, rules, len(rules), method, info.key)
    kind = ffi.typeof("sotto_option_type").elements[int(info.type)]
    choices = () if info.choices == NULL else tuple(_core.text(info.choices).split())
    return Option(_core.text(info.key), _KINDS[kind], info.least, info.most, choices, _core.text(info.fallback),
                  _core.text(rules), _core.text(info.help))


@functools.cache
def of_method(method: str) -> dict[str, Option]:
    """The options of a method by their names of Python."""
    room = ffi.new("sotto_option_info[]", int(lib.SOTTO_MOST_OPTIONS))
    name = _core.encoded(method, "method")
    count = lib.sotto_method_options(room, len(room), name)
    if count == 0:
        raise errors.NotFound(f"method: {method!r} is none of {', '.join(methods())}")
    found = (_option(room[i], name) for i in range(count)
             if room[i].group != lib.SOTTO_GROUP_TABLES or _core.text(room[i].key) == _LEARNT)
    return {option.name: option for option in found if option.key not in OF_FILES}


@dataclass(frozen=True)
class Method:
    """A method of the library."""

    name: str
    summary: str
    situation: str
    source: str
    parties: str  # "one-owner", "two-parties", "holders-and-server", "clients-and-server"


def regression(task: Any) -> bool:
    """Are numbers learnt, and not classes? None stands for the default."""
    return bool(_core.chosen(task, {"classification": False, "regression": True}, "task")) if task is not None else False


@functools.cache
def methods() -> dict[str, Method]:
    """All methods by their names.

    Examples
    --------
    >>> import sotto
    >>> sotto.methods()["gap"].source
    'Sajadmanesh et al. 2023'
    """
    count = ffi.new("size_t *")
    table = lib.sotto_method_table(count)
    kinds = ffi.typeof("sotto_topology").elements
    out: dict[str, Method] = {}
    for i in range(count[0]):
        row = table[i]
        out[_core.text(row.name)] = Method(
            _core.text(row.name), _core.text(row.summary), _core.text(row.situation), _core.text(row.source),
            kinds[int(row.topology)].removeprefix("SOTTO_").lower().replace("_", "-"))
    return out


def of_folder(folder: Any) -> dict[str, str]:
    """The options that a run folder was made with, by their keys, as the library writes them."""
    options, text, count = ffi.new("sotto_options *"), ffi.new("char[1024]"), ffi.new("size_t *")
    lib.sotto_options_default(options)
    _core.call(lib.sotto_options_read, options, _core.encoded(folder, "folder") + b"/run.yaml")
    lib.sotto_options_resolve(options)
    table = lib.sotto_option_table(count)
    found: dict[str, str] = {}
    for i in range(count[0]):
        lib.sotto_option_text(options, i, text, len(text))
        found[_core.text(table[i].key)] = _core.text(text)
    return found


def describe(method: str) -> str:
    """The options of a method as the parameters of a docstring."""
    lines: list[str] = []
    for option in of_method(method).values():
        kind = {"text": "str", "word": "str", "count": "int", "real": "float", "switch": "bool"}[option.kind]
        if option.choices:
            kind = "{" + ", ".join(f'"{word}"' for word in option.choices) + "}"
        default = f", default {option.default}" if option.default else ""
        default += f" ({option.rules})" if option.rules else ""
        about = option.help.strip()
        lines.append(f"    {option.name} : {kind}{default}\n        {about[:1].upper()}{about[1:]}.")
    return "\n".join(lines)
