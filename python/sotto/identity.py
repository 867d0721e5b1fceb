"""Who a party is: a folder with its key, its certificate, and the certificates that it trusts.

Examples
--------
>>> import sotto, tempfile, os
>>> folder = os.path.join(tempfile.mkdtemp(), "bank")
>>> made = sotto.identity.init("bank", folder=folder)
>>> made["name"], len(made["words"].split())
('bank', 12)
"""
from __future__ import annotations

import os
from typing import Any

from . import _core
from ._core import NULL, ffi, lib

Folder = str | os.PathLike[str] | None


def _path(value: Any, what: str) -> Any:
    return NULL if value is None else ffi.new("char[]", _core.encoded(value, what))


def _told(info: Any) -> dict[str, Any]:
    return {"name": _core.text(info.name), "fingerprint": _core.text(info.fingerprint),
            "words": _core.text(info.words), "ends": _core.text(info.ends), "days": int(info.days),
            "authority": bool(info.authority)}


def init(name: str, *, folder: Folder = None, days: int = 825, request: bool = False) -> dict[str, Any]:
    """Makes a key and a certificate over a name, which it signs itself.

    Parameters
    ----------
    name : str
        Letters, digits, '-', '.' and '_'; at most 63.
    folder : path, optional
        Default: ``$SOTTO_PARTY``, else "party".
    days : int, optional
        For so long the certificate holds, 1 to 36500.
    request : bool, optional
        own.csr for an authority to sign, instead of a certificate; then an empty dict is returned.

    Returns
    -------
    dict
        As `check`.
    """
    _core.call(lib.sotto_identity_init, _path(folder, "folder"), _core.encoded(name, "name"),
               _core.whole(days, "days"), bool(request))
    return {} if request else check(folder=folder)


def check(*, folder: Folder = None) -> dict[str, Any]:
    """Who this is: `name`, `fingerprint`, twelve `words` to be compared by telephone, `ends`, `days` left."""
    out = ffi.new("sotto_identity_info *")
    _core.call(lib.sotto_identity_check, out, _path(folder, "folder"))
    return _told(out)


def trust(certificate: str | os.PathLike[str], *, folder: Folder = None, name: str | None = None,
          replace: bool = False) -> str:
    """Trusts a party by the key of its certificate; or, with `name`, who is named so by this authority's.

    Compare the words or the fingerprint with the other party first, by another way than the file came.

    Returns
    -------
    str
        The name that is trusted.
    """
    out = ffi.new("char[64]")
    _core.call(lib.sotto_identity_trust, out, _path(folder, "folder"), _core.encoded(certificate, "certificate"),
               _path(name, "name"), bool(replace))
    return _core.text(out)


def trusted(*, folder: Folder = None) -> list[str]:
    """The names that are trusted, in ascending order."""
    names, count = ffi.new("char (**)[64]"), ffi.new("size_t *")
    _core.call(lib.sotto_identity_list, names, count, _path(folder, "folder"))
    try:
        return [_core.text(names[0][i]) for i in range(count[0])]
    finally:
        lib.sotto_identity_list_free(names[0])


def revoke(peer: str, *, folder: Folder = None) -> dict[str, Any]:
    """Ends the trust in a peer: its key is refused from the next handshake on. Returns what was revoked."""
    out = ffi.new("sotto_identity_info *")
    _core.call(lib.sotto_identity_revoke, out, _path(folder, "folder"), _core.encoded(peer, "peer"), NULL)
    return _told(out)
