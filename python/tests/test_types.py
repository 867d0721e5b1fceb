"""Types and docstrings: mypy in its strictest form finds nothing, stubs are those of the library, examples are true."""
import doctest
import importlib.util
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import sotto

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(sotto.__file__).parent

USER = '''
import numpy as np
import sotto

graph: sotto.Graph = sotto.load("g.sotto")
model = sotto.GAP(epsilon=4.0, aggregator="gcn").fit(graph, ledger="ledger.db")
model.set_params(epsilon=2.0)
reveal_type(model)
statement: sotto.Statement = model.statement
sotto.GAP(epsilon="4")
sotto.GAP(aggregator="gnc")
'''


def mypy(*arguments: str | os.PathLike[str]) -> str:
    return subprocess.run([sys.executable, "-P", "-m", "mypy", "--strict", "--no-incremental", *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def test_the_package_is_typed() -> None:
    assert "Success" in mypy("-p", "sotto")


@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed")
def test_pyright_finds_nothing() -> None:
    said = subprocess.run([sys.executable, "-P", "-m", "pyright", "--pythonpath", sys.executable, "-p", HERE.parent],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert said.returncode == 0 and "0 errors" in said.stdout, said.stdout


def test_a_program_of_a_user_is_checked(tmp_path: pathlib.Path) -> None:
    (tmp_path / "user.py").write_text(USER)
    said = mypy(tmp_path / "user.py")
    assert 'Revealed type is "sotto.estimators.GAP"' in said
    assert "user.py:10" in said and "user.py:11" in said and "Found 2 errors" in said


def test_the_stubs_of_estimators_are_those_of_the_library() -> None:
    spec = importlib.util.spec_from_file_location("stubs", HERE.parent / "extension" / "stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (PACKAGE / "estimators.pyi").read_text() == module.stubs(), "write them anew: python/extension/stubs.py"


MODULES = ["sotto"] + [f"sotto.{module.name}" for module in pkgutil.iter_modules([str(PACKAGE)])
                       if module.name not in ("_sotto", "_torch")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def public() -> list[object]:
    return [getattr(sotto, name) for name in sotto.__all__]


def test_all_names_are_listed() -> None:
    assert {*sotto._HOMES, *sotto._MODULES} <= set(sotto.__all__) and len(set(sotto.__all__)) == len(sotto.__all__)


def test_everything_public_has_a_docstring() -> None:
    for thing in public():
        assert getattr(thing, "__doc__", None), thing
        for name, member in vars(thing).items() if isinstance(thing, type) else ():
            if not name.startswith("_") and callable(member):
                assert member.__doc__, f"{thing.__name__}.{name}"
