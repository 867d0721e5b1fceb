"""Run folders as bytes, for pickles: a zip of the files that may be handed on."""
from __future__ import annotations

import io
import pathlib
import tempfile
import zipfile

from . import errors

_STAYS = ("owner-only", "lock")  # docs/run-files.md
_DATE = (1980, 1, 1, 0, 0, 0)


def pack(folder: pathlib.Path) -> bytes:
    """The files of a run folder, without those for the owner alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.is_file() and not path.is_symlink() and not set(_STAYS) & set(name.parts):
                archive.writestr(zipfile.ZipInfo(name.as_posix(), _DATE), path.read_bytes(), zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


class Unpacked:
    """A temporary folder with those files, which goes with this object."""

    def __init__(self, data: bytes) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sotto-")
        self.path = pathlib.Path(self._folder.name)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for name in archive.namelist():
                    parts = pathlib.PurePosixPath(name).parts
                    if name.startswith("/") or not parts or ".." in parts or "\\" in name:
                        raise errors.CorruptData(f"pickle: a file in it is called {name!r:.60}")
                    path = self.path.joinpath(*parts)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(archive.read(name))
        except (zipfile.BadZipFile, OSError, TypeError, EOFError) as problem:
            raise errors.CorruptData(f"pickle: the run folder in it cannot be read: {problem}") from problem


DETACHED = ("this model came from a pickle, which holds no data: call attach(graph) with the graph that it was trained "
            "on. Its statement, result and history can be read without that")
