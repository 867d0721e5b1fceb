"""The program `sotto`, as `python -m sotto` and as a command: ledger, reports, import of tables, and all other verbs.

Verbs that serve pages or answers need libmicrohttpd of the system, and name it where it is missing.
"""
from __future__ import annotations

import os
import signal
import sys

from ._core import NULL, ffi, lib


def main() -> int:
    """Runs the program with the words of the command line; its exit status."""
    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has a handler of its own
    words = [ffi.new("char[]", os.fsencode(word)) for word in ("sotto", *sys.argv[1:])]
    return int(lib.sotto_py_main(len(words), ffi.new("char *[]", [*words, NULL])))


if __name__ == "__main__":
    sys.exit(main())
