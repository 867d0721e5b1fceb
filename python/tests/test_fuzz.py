"""1,000 random calls: exceptions only, in one thread and in eight."""
import pathlib
import random
import subprocess
import sys

import pytest


@pytest.mark.parametrize("threads", [1, 8])
def test_random_calls_end_with_a_result_or_an_exception(threads: int, tmp_path: pathlib.Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    script = pathlib.Path(__file__).resolve().with_name("fuzz.py")
    done = subprocess.run([sys.executable, "-P", "-X", "faulthandler", script, str(seed), "1000", str(threads)],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=tmp_path)  # any word may become a folder's name
    assert done.returncode == 0, f"seed {seed}, {threads} threads:\n{done.stdout}"
