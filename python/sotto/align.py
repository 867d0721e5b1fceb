"""Alignment: which ids several parties have in common, found without showing the others.

Examples
--------
>>> import sotto
>>> sorted(sotto.align.local([["ann", "bob", "eve"], ["eve", "carl", "ann"]], common=True))
['ann', 'eve']
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _arrays, _core, errors
from ._core import NULL, ffi, lib
from ._peers import limits, names_of
from ._watch import Watch


class _Ids:
    """A sotto_ids of Python's ids; they go through memory alone, never through a file."""

    def __init__(self, ids: Sequence[Any], what: str) -> None:
        if isinstance(ids, (str, bytes)):
            raise errors.InvalidArgument(f"{what}: a list of ids is wanted, not one text")
        self.values = ids if isinstance(ids, list) else _arrays.plain(ids, what).tolist()
        lines = [value if isinstance(value, bytes) else str(value).encode() for value in self.values]
        for row, line in enumerate(lines):
            if b"\n" in line or b"\r" in line:
                raise errors.InvalidArgument(f"{what}: id {row} has a line break")
        memory = os.memfd_create("sotto-ids")
        try:
            with os.fdopen(os.dup(memory), "wb") as file:
                file.write(b"".join(line + b"\n" for line in lines))
            out = ffi.new("sotto_ids **")
            _core.call(lib.sotto_ids_open, out, f"/proc/self/fd/{memory}".encode(), NULL)
        finally:
            os.close(memory)
        self.ids = ffi.gc(out[0], lib.sotto_ids_free)


def _rows(alignment: Any) -> Any:
    np = _arrays.numpy()
    address = int(ffi.cast("uintptr_t", alignment.rows))
    return np.array(_arrays.held(None, address, (int(alignment.count),), "<u4")).astype(np.int64)


def local(parties: Sequence[Sequence[Any]], *, common: bool = False) -> Any:
    """Aligns the ids of all parties in this process, by the protocol.

    Parameters
    ----------
    parties : sequence of sequences
        Ids of each party, distinct; the first is the hub.
    common : bool, optional
        Return the ids in common instead of row numbers.

    Returns
    -------
    list of arrays, or list
        For each party its own rows, in the order that all parties share.
    """
    lists = [_Ids(ids, f"parties[{i}]") for i, ids in enumerate(_core.listed(parties, "parties"))]
    if len(lists) < 2:
        raise errors.InvalidArgument("parties: at least two are wanted")
    rows = ffi.new("sotto_ids *[]", [one.ids for one in lists])
    out, watch = ffi.new("sotto_alignment[]", len(lists)), Watch()
    try:
        watch.run(lambda: _core.call(lib.sotto_align_local, out, ffi.cast("const sotto_ids *const *", rows),
                                     len(lists), watch.observer))
        found = [_rows(out[i]) for i in range(len(lists))]
    finally:
        for i in range(len(lists)):
            lib.sotto_alignment_free(ffi.addressof(out, i))
    return [lists[0].values[row] for row in found[0]] if common else found


class _Kept:
    """What an alignment over a network leaves."""

    def __init__(self) -> None:
        self.rows: Any = None
        self.peer_ids: list[int] = []


def party(ids: Sequence[Any], peers: dict[str, str], *, hub: bool, listen: bool = False, folder: Any = None,
          proxy: str | None = None, insecure_loopback: bool = False, connect_limit: float = 30.0,
          idle_limit: float = 60.0, grace: float = 600.0) -> Any:
    """One party of an alignment over mutual TLS; the others call it elsewhere at the same time.

    Parameters
    ----------
    ids : sequence
        Own ids, distinct.
    peers : dict
        Name in the certificate to ``HOST:PORT``: of a hub the leaves, of a leaf the hub.
    hub : bool
        Is this the hub? One party is.
    listen : bool, optional
        On the peers' addresses, instead of connecting to them.
    folder : path, optional
        Identity; default: the usual one.
    proxy : str, optional
        ``HOST:PORT`` of an HTTP proxy to connect through.
    insecure_loopback : bool, optional
        No TLS, between processes of this machine.
    connect_limit, idle_limit, grace : float, optional
        Seconds.

    Returns
    -------
    array of int
        Own rows, in the order that all parties share.
    """
    own, kept = _Ids(ids, "ids"), _Kept()
    handle = ffi.new_handle(kept)
    options = ffi.new("sotto_align_party_options *")
    keep, table = names_of(peers, "sotto_align_peer")
    options.hub, options.listen, options.insecure_loopback = bool(hub), bool(listen), bool(insecure_loopback)
    options.peers, options.peer_count = table, len(peers)
    for name, value in (("folder", folder), ("proxy", proxy)):
        if value is not None:
            keep.append(ffi.new("char[]", _core.encoded(value, name)))
            setattr(options, name, keep[-1])
    limits(options, connect_limit, idle_limit, grace)
    options.begin, options.keep, options.context = lib.sotto_py_align_begin, lib.sotto_py_align_keep, handle
    watch = Watch()
    watch.run(lambda: _core.call(lib.sotto_align_party, options, own.ids, watch.observer))
    return kept.rows


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def sotto_py_align_begin(context: Any, err: Any) -> int:
    ffi.from_handle(context).rows = None
    return 0


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def sotto_py_align_keep(context: Any, alignment: Any, err: Any) -> int:
    ffi.from_handle(context).rows = _rows(alignment)
    return 0
