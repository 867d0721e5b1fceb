"""The parties of one run, each in a process of its own, over this machine's loopback and without keys (--insecure-loopback)."""
import os
import random
import shutil
import socket
import subprocess
import sys
import time


def address():
    """Free, of a host that no outgoing connection takes ports of."""
    host = f"127.{random.randint(1, 126)}.{random.randint(0, 249)}.{random.randint(1, 250)}"
    with socket.socket() as one:
        one.bind((host, 0))
        return f"{host}:{one.getsockname()[1]}"


def server_and(*clients):
    """Roles of a server and of its clients, as run takes them. clients: (role, its own words)."""
    server = address()
    return [("server", ["--listen", server, *(word for role, _ in clients for word in ("--peer", role))]),
            *((role, ["--peer", f"server={server}", *own]) for role, own in clients)]


def run(sotto, folder, name, parties, words, env=None):
    """Runs FOLDER/run.yaml. parties: (role, its own words). The run folder of each is FOLDER/NAME-ROLE, and what it says is in FOLDER/NAME-ROLE.log."""
    running = {}
    for role, own in parties:
        out = os.path.join(folder, f"{name}-{role}")
        shutil.rmtree(out, ignore_errors=True)
        with open(f"{out}.log", "w", encoding="utf-8") as log:
            running[role] = subprocess.Popen([sotto, "run", "run.yaml", "--role", role, "--insecure-loopback", *words, *own, "--out", f"{name}-{role}"],
                                             cwd=folder, env=env, stdout=log, stderr=log)
    ends = {}
    while len(ends) < len(running) and not any(ends.values()):
        time.sleep(0.2)
        ends = {role: party.poll() for role, party in running.items() if party.poll() is not None}
    for party in running.values():
        if party.poll() is None:
            party.terminate()
            party.wait()
    for role, end in ends.items():
        if end != 0:
            with open(os.path.join(folder, f"{name}-{role}.log"), encoding="utf-8") as log:
                sys.exit(f"{role}: exit status {end}\n{log.read()}")
