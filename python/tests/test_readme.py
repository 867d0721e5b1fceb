"""The examples of the two README.md run, and are short."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("SOTTO", "")


def example(path: pathlib.Path) -> str:
    code = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S)[0]
    assert len([line for line in code.splitlines() if line.strip()]) < 12
    return code


def run(code: str, folder: pathlib.Path) -> str:
    return subprocess.run([sys.executable, "-P", "-c", code], check=True, text=True, stdout=subprocess.PIPE, cwd=folder).stdout


def test_the_example_runs(tmp_path: pathlib.Path) -> None:
    assert float(run(example(PACKAGE / "README.md"), tmp_path).split()[0]) > 0.7


@pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")
def test_the_example_of_the_project_trains_what_the_program_trains(tmp_path: pathlib.Path) -> None:
    readme = PACKAGE.parent / "README.md"
    text = readme.read_text(encoding="utf-8").replace("\\\n", " ")
    made = re.findall(r"^\$ sotto (data generate .*)$", text, re.M)[0]
    subprocess.run([PROGRAM, *shlex.split(made)], check=True, stdout=subprocess.DEVNULL, cwd=tmp_path)
    said = run(example(readme), tmp_path)
    shown = re.findall(r"^accuracy (\S+)\n((?:.* of `.*\n)+)", text, re.M)[0]
    accuracy, verdicts = said.split("\n", 1)
    assert abs(float(accuracy.split()[1]) - float(shown[0])) < 0.03
    assert verdicts == shown[1]
