"""Writes the C source of the extension `sotto._sotto` from the public headers.

The headers are the only list of declarations: the C compiler preprocesses them, and what cffi cannot read (inline
functions) is taken out.

usage: builder.py INCLUDE_FOLDER OUTPUT_C [COMPILER]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

HERE = pathlib.Path(__file__).resolve().parent
STANDARD = ("stdbool.h", "stddef.h", "stdint.h")  # cffi knows their types; the rest of them is not for it


def includes(include: pathlib.Path) -> str:
    """C that includes every public header."""
    return "".join(f"#include <sotto/{header.name}>\n" for header in sorted((include / "sotto").glob("*.h")))


def preprocessed(include: pathlib.Path, compiler: str) -> str:
    """All declarations of the public headers, each once, without macros and comments."""
    with tempfile.TemporaryDirectory() as folder:
        for name in STANDARD:
            pathlib.Path(folder, name).touch()
        command = [compiler, "-E", "-P", "-xc", "-std=c11", "-nostdinc", "-U__GNUC__", "-I", folder, "-I", str(include),
                   "-"]
        return subprocess.run(command, input=includes(include), text=True, check=True, stdout=subprocess.PIPE).stdout


def without_bodies(text: str) -> str:
    """The text without functions that are defined in it."""
    out, at = [], 0
    for found in re.finditer(r"static inline [^;{]*\{", text):
        if found.start() < at:
            continue
        out.append(text[at:found.start()])
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    out.append(text[at:])
    return "".join(out)


def constants(include: pathlib.Path) -> str:
    """Macros that stand for one number."""
    found = []
    for header in sorted((include / "sotto").glob("*.h")):
        found += re.findall(r"^#define (SOTTO_\w+) +(?:\d+|UINT64_MAX)$", header.read_text(encoding="utf-8"), re.M)
    return "".join(f"#define {name} ...\n" for name in found)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def main(include: str, output: str, compiler: str = "cc") -> None:
    folder = pathlib.Path(include)
    ffi = cffi.FFI()
    ffi.cdef(constants(folder) + without_bodies(preprocessed(folder, compiler)))
    ffi.cdef(without_comments((HERE / "callbacks.h").read_text(encoding="utf-8")))
    ffi.set_source("sotto._sotto", includes(folder) + (HERE / "helpers.c").read_text(encoding="utf-8"))
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
