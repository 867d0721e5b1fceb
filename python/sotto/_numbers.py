"""Numbers to learn, in the place of classes: how they are told apart, read and measured."""
from __future__ import annotations

from typing import Any

from . import _arrays, _core, errors
from ._core import ffi, lib

_STANDS_FOR_NONE = (-1, -99, -999, -9999, -99999)  # as in the library's reader of tables


def are_real(value: Any, nodes: int | None) -> bool:
    """Are these numbers, some with a fraction? Whole numbers and names are classes."""
    np = _arrays.numpy()
    out = _arrays.one_a_node(value, nodes)
    if out.dtype.kind != "f":
        return False
    known = out[~np.isnan(out)]
    return not bool(np.all(known == np.floor(known)))


def read(value: Any, nodes: int | None) -> Any:
    """Numbers to learn as float32, NaN where unknown."""
    np = _arrays.numpy()
    out = _arrays.one_a_node(value, nodes, numbers=True)
    if out.dtype.kind not in "fiu":
        raise errors.InvalidArgument(f"y: numbers to learn are wanted, not {out.dtype}; classes are learnt without "
                                     "task=\"regression\"")
    known = out[out == out]
    odd = np.isin(known, _STANDS_FOR_NONE)
    if odd.any() and not odd.all() and np.all(known[~odd] >= 0):
        raise errors.InvalidArgument(f"y: has {known[odd][0]:g} where all other numbers to learn are 0 or more, which often "
                                     "stands for no number; give NaN where there is none. If it is a number, learn y + 1 "
                                     "or the like, and subtract it from the answers")
    if not out.dtype.isnative:
        _arrays.log.info("y: %s is copied as float32", _arrays.form(out))
    with np.errstate(over="ignore"):  # what becomes infinite is refused by the library, with its place
        return np.ascontiguousarray(out, dtype=np.float32)


def r2(predicted: Any, truth: Any) -> float:
    """R2 as scikit-learn has it, over the rows with a number; NaN where there is none."""
    np = _arrays.numpy()
    known = np.isfinite(truth)
    rows, numbers = (np.ascontiguousarray(values[known], dtype=np.float32) for values in (predicted, truth))
    matrix, out = ffi.new("sotto_matrix *"), ffi.new("sotto_quality *")
    matrix.data, matrix.rows, matrix.cols = ffi.cast("float *", rows.ctypes.data), rows.size, 1
    _core.call(lib.sotto_number_quality, out, matrix, ffi.cast("float *", numbers.ctypes.data), rows.size)
    return float(out.of[lib.SOTTO_MEASURE_R2])
