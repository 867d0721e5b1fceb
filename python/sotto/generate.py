"""Graphs made at random: the generators of the program."""
from __future__ import annotations

from typing import Any

from . import _core, errors
from ._core import ffi, lib
from ._reading import dataset
from .graph import Graph

_KINDS = {"sbm": ("sotto_sbm_options", "sotto_generate_sbm"),
          "powerlaw": ("sotto_powerlaw_options", "sotto_generate_powerlaw"),
          "transactions": ("sotto_transactions_options", "sotto_generate_transactions"),
          "mines": ("sotto_mines_options", "sotto_generate_mines"),
          "payments": ("sotto_payments_options", "sotto_generate_payments"),
          "banks": ("sotto_banks_options", "sotto_generate_banks"),
          "like": ("sotto_like_options", "sotto_generate_like"),
          "chains": ("sotto_chains_options", "sotto_generate_chains")}


def _member(enum: Any, name: str, word: str) -> int:
    """The number of the word that ends a member's name."""
    words: dict[str, int] = {member.rsplit("_", 1)[1].lower(): number for number, member in sorted(enum.elements.items())}
    if word not in words:
        raise errors.InvalidArgument(f"{name}: {word!r} is none of {', '.join(words)}")
    return words[word]


def generate(kind: str, *, seed: int = 1, **sizes: Any) -> Graph:
    """A graph with features and labels, the same for the same seed.

    Parameters
    ----------
    kind : {"sbm", "powerlaw", "transactions", "mines", "payments", "banks", "chains", "like"}
        Stochastic block model, power law of degrees, sparse fraud graph, field of mines, payments, banks, chains,
        a stand-in with the sizes of published data.
    seed : int, optional
        Of all that is drawn.
    **sizes
        What the kind takes. sbm: `nodes`, `classes`, `features`, `degree_inside`, `degree_outside`,
        `feature_signal`; powerlaw: `nodes`, `edges`, `exponent`, `features`, `classes`; transactions: `nodes`,
        `share`, `features`; mines: `nodes`; like: `name` ("finance", "products", "pubmed" or "reddit"), `nodes`; payments: `nodes`, `dial`, `pattern` ("limit", "passing" or "cycles"), `salaries`,
        `kinds` (1: payments have kinds), `kind_dial`, `share` (of mules);
        banks: `nodes`, `banks`, `classes`, `features`, `degree_inside`, `degree_outside`, `feature_signal`, `share`;
        chains: `classes`, `chains_per_class`, `length`, `features`.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import sotto
    >>> sotto.generate("chains", classes=2, chains_per_class=3, length=8, features=100)
    Graph(nodes=48, edges=42, columns=100, classes=2)
    """
    struct, function = _core.chosen(kind, _KINDS, "kind")
    options = ffi.new(f"{struct} *")
    fields = dict(ffi.typeof(struct).fields)
    kept = []  # texts, for as long as the library reads them
    for name, value in sizes.items():
        if name not in fields:
            raise errors.InvalidArgument(f"{name}: a graph of kind {kind} takes {', '.join(fields)}")
        if fields[name].type.cname == "double":
            setattr(options, name, _core.real(value, name))
        elif fields[name].type.kind == "pointer":
            kept.append(ffi.new("char[]", _core.encoded(value, name)))
            setattr(options, name, kept[-1])
        elif fields[name].type.kind == "enum":
            setattr(options, name, _member(fields[name].type, name, value))
        else:
            most = 2 ** (8 * ffi.sizeof(fields[name].type)) - 1
            setattr(options, name, _core.whole(value, name, 0, most))
    key = ffi.new("sotto_key *")
    lib.sotto_key_public(key, _core.whole(seed, "seed", 0, 2**64 - 1))
    return Graph._wrap(dataset(lambda out: _core.call(getattr(lib, function), out, options, key), None))
