"""What alignment and training over a network have in common: names, addresses, limits."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _core, errors
from ._core import NULL, ffi


def names_of(peers: Mapping[str, str | None], kind: str) -> tuple[list[Any], Any]:
    """A C array of names and addresses, and what it borrows."""
    if not isinstance(peers, Mapping):
        raise errors.InvalidArgument("peers: a dict of names and addresses is wanted")
    keep: list[Any] = []
    out = ffi.new(f"{kind}[]", max(len(peers), 1))
    for at, (name, address) in enumerate(peers.items()):
        keep.append(ffi.new("char[]", _core.encoded(name, "peers")))
        out[at].name = keep[-1]
        if address is None:
            out[at].address = NULL
        else:
            keep.append(ffi.new("char[]", _core.encoded(address, "peers")))
            out[at].address = keep[-1]
    return keep, out


def limits(options: Any, connect: float, idle: float, grace: float) -> None:
    """Sets the seconds after which a connection or a run is given up."""
    options.connect_limit = _core.real(connect, "connect_limit")
    options.idle_limit = _core.real(idle, "idle_limit")
    options.grace = _core.real(grace, "grace")
