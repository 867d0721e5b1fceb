"""What of the machine decides the last digits of a model: the processor, the C library, the linear algebra."""
import ctypes
import ctypes.util
import hashlib
import pathlib
import re
import struct


def processor():
    """What decides which functions of the C library run."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.M)
    flags = set(found[1].split()) if found else set()
    return " ".join(flag for flag in ("avx2", "fma") if flag in flags) or "neither avx2 nor fma"


def mathematics():
    """Digest of functions of the C library at many places, as float and as double."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    digest = hashlib.sha256()
    for name in ("exp", "log", "tanh", "log1p", "expm1", "sin", "cos", "pow", "erfc"):
        for suffix, kind, form in (("f", ctypes.c_float, "<f"), ("", ctypes.c_double, "<d")):
            function = getattr(library, name + suffix)
            function.restype, function.argtypes = kind, [kind] * (2 if name == "pow" else 1)
            for i in range(1, 1500):
                place = i * 0.00731
                digest.update(struct.pack(form, function(place, 1.7) if name == "pow" else function(place)))
    return digest.hexdigest()[:16]


def linear_algebra():
    """The version of OpenBLAS."""
    path = ctypes.util.find_library("openblas")
    if path is None:
        return "unknown"
    config = ctypes.CDLL(path).openblas_get_config
    config.restype = ctypes.c_char_p
    return " ".join(config().decode().split()[:2])


def describe():
    return {"processor": processor(), "mathematics": mathematics(), "linear algebra": linear_algebra()}
