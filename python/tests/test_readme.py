"""The example of README.md runs, and is short."""
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def test_the_example_runs() -> None:
    code = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)[0]
    assert len([line for line in code.splitlines() if line.strip()]) < 12
    said = subprocess.run([sys.executable, "-P", "-c", code], check=True, text=True, stdout=subprocess.PIPE).stdout
    accuracy = float(said.split()[0])
    assert accuracy > 0.7
