"""Runs a command with its stderr on a terminal of so many columns: progress.py COLUMNS[,COLUMNS...] STAGE [--env COLUMNS] COMMAND...

Each width but the first is set once something was drawn at the one before it. What is drawn over has to fit, to name the stage,
and to say what time is left. --env: the terminal does not know its width, and $COLUMNS does."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

DRAWN = "\r\x1b[K"


def resize(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def main():
    widths, stage, command = [int(w) for w in sys.argv[1].split(",")], sys.argv[2], sys.argv[3:]
    environment = dict(os.environ)
    environment.pop("COLUMNS", None)
    master, slave = pty.openpty()
    if command[0] == "--env":
        command = command[1:]
        environment["COLUMNS"] = str(widths[0])
        resize(slave, 0)
    else:
        resize(slave, widths[0])
    with open("progress.out", "wb") as out:
        run = subprocess.Popen(command, stderr=slave, stdout=out, stdin=subprocess.DEVNULL, env=environment)
    os.close(slave)
    texts, text = [], b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
        if len(widths) > 1 + len(texts) and text.count(DRAWN.encode()) >= 3:
            texts.append(text)
            text = b""
            resize(master, widths[len(texts)])
    texts.append(text)
    assert run.wait() == 0, b"".join(texts)
    assert len(texts) == len(widths), (len(texts), texts)
    drawn = []
    for number, width in enumerate(widths):
        pieces = texts[number].decode().split(DRAWN)[1:]
        # One drawing may have been on its way when the width changed.
        pieces = [re.split("[\r\n]", p)[0] for p in pieces[(number > 0):]]
        for p in pieces:
            assert len(p) < width, f"{len(p)} characters in {width} columns: '{p}'"
        drawn += pieces
    assert any(p.startswith(stage) for p in drawn), drawn
    assert any(re.search(r" \+(\d+ s|\d+:\d\d)", p) for p in drawn if p.startswith(stage)), drawn


main()
