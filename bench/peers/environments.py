"""Virtual environments of peers, and their runs.

The first line of a requirements.txt is `# environment: NAME`, perhaps with an option of pip; peers of one name share one environment."""
import json
import os
import subprocess
import sys

LIMIT_S = 3600


class Missing(Exception):
    """A peer that cannot run here, and why."""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


class Environments:
    def __init__(self, peers, args):
        self.peers, self.args = peers, args
        self.ready, self.failed = {}, {}

    def head(self, peer):
        with open(f"{self.peers}/{peer}/requirements.txt", encoding="utf-8") as file:
            words = file.readline().split()
        if words[:2] != ["#", "environment:"] or len(words) < 3:
            raise Missing(f"{peer}/requirements.txt does not begin with '# environment: NAME'")
        return words[2], words[3:]

    def install(self, peer):
        name, options = self.head(peer)
        folder = f"{self.args.environments}/{name}"
        mark = f"{folder}/{peer}.installed"
        with open(f"{self.peers}/{peer}/requirements.txt", encoding="utf-8") as file:
            wanted = file.read()
        if os.path.exists(mark):
            with open(mark, encoding="utf-8") as file:
                if file.read() == wanted:
                    return f"{folder}/bin/python"
        if self.args.no_install:
            raise Missing("its environment is not there, and --no-install was given")
        if not os.path.exists(f"{folder}/bin/python"):
            self.call([sys.executable, "-m", "venv", folder])
        print(f"installing {peer} in {folder}", flush=True)
        self.call([f"{folder}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *options, "-r",
                   f"{self.peers}/{peer}/requirements.txt"])
        with open(mark, "w", encoding="utf-8") as file:
            file.write(wanted)
        return f"{folder}/bin/python"

    def call(self, words):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise Missing(f"it could not be installed: {last_line(chr(10).join(errors) or done.stderr)}")

    def python(self, peer):
        if self.args.python:
            return self.args.python
        if peer in self.failed:
            raise Missing(self.failed[peer])
        if peer not in self.ready:
            try:
                self.ready[peer] = self.install(peer)
            except Missing as why:
                self.failed[peer] = str(why)
                raise
        return self.ready[peer]

    def run(self, peer, job):
        """The last line of JSON that it printed; libraries may print others after it."""
        words = [self.python(peer), "-B", f"{self.peers}/{peer}/run.py", json.dumps(job)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Missing(f"it took longer than {LIMIT_S} s") from None
        if done.returncode != 0:
            self.failed[peer] = last_line(done.stderr)
            raise Missing(self.failed[peer])
        try:
            return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])
        except (json.JSONDecodeError, IndexError):
            raise Missing(f"it printed no line of JSON: {last_line(done.stdout)}") from None
