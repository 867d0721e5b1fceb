"""What an import does, and what it does not."""
import subprocess
import sys

import pytest

import sotto


def run(code: str, **environment: str) -> str:
    import os
    return subprocess.run([sys.executable, "-P", "-c", code], check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}).stdout.strip()


def test_import_takes_neither_numpy_nor_anything_large() -> None:
    heavy = run("import sys, sotto; print([name for name in sys.modules if name.split('.')[0] in "
                "('numpy', 'scipy', 'pandas', 'torch', 'sklearn', 'tqdm')])")
    assert heavy == "[]"


def test_import_starts_no_thread() -> None:
    assert run("import sotto, os; print(len(os.listdir('/proc/self/task')))") == "1"


def test_every_name_that_is_listed_is_there() -> None:
    for name in sotto.__all__:
        assert getattr(sotto, name) is not None


def test_every_method_of_the_library_has_an_estimator() -> None:
    assert set(sotto.estimators.BY_METHOD) == set(sotto.methods())


def test_numpy_and_sotto_both_multiply() -> None:
    code = ("import numpy as np, sotto; a = np.ones((200, 200)); g = sotto.generate('sbm', nodes=200, classes=2, "
            "features=4, degree_inside=4, degree_outside=1); sotto.GNN(epochs=2).fit(g); print((a @ a)[0, 0])")
    assert run(code) == "200.0"


def test_ssl_of_python_and_keys_of_sotto_live_together() -> None:
    assert run("import ssl, sotto; sotto.audit.bound(range(200), range(200), 0.1); "
               "print(type(ssl.create_default_context()).__name__)") == "SSLContext"


@pytest.mark.parametrize("isa", ["plain", "avx2"])
def test_lesser_kernels_can_be_asked_for(isa: str) -> None:
    found = run("import sotto; print(sotto.kernels())", SOTTO_ISA=isa)
    assert found in (isa, "plain")  # a processor without avx2 has plain


def test_a_fork_after_use_is_refused_in_the_child() -> None:
    code = ("import os, sotto\nsotto.accounting.gdp_epsilon(1.0, 1e-5)\npid = os.fork()\nif pid == 0:\n"
            "    try:\n        sotto.accounting.gdp_epsilon(1.0, 1e-5)\n    except sotto.ForkedProcess:\n"
            "        os._exit(7)\n    os._exit(1)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
    assert run(code) == "7"


def test_a_fork_before_use_is_fine() -> None:
    code = ("import os, sotto\npid = os.fork()\nif pid == 0:\n    g = sotto.generate('sbm', nodes=200, classes=2, "
            "features=4, degree_inside=4, degree_outside=1)\n    sotto.GNN(epochs=2).fit(g)\n    os._exit(7)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
    assert run(code) == "7"


def test_threads_are_set() -> None:
    before = sotto.get_threads()
    sotto.set_threads(1)
    assert sotto.get_threads() == 1
    sotto.set_threads(before)
    with pytest.raises(sotto.OutOfRange):
        sotto.set_threads(257)
