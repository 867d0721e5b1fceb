#!/usr/bin/env python3
"""Tests that wait by sleeping: waits.py [FOLDER]. Waits for an event are in tests/support/await.h and tests/cli/await.sh.

A test that sleeps and then looks fails by chance on a busy machine. The files below hold the waits themselves, poll with a
deadline, or make load at a rate."""
import pathlib
import re
import sys

SLEEPS = re.compile(r"\b(?:u|nano)?sleep\b\s*(?:\(|[\"$0-9])")
WAITS = {
    "tests/support/await.c": "check_await and check_moment",
    "tests/cli/await.sh": "await and moment",
    "tests/cli/board.py": "polls a page, with a deadline",
    "tests/cli/board_browser.py": "polls a browser, with a deadline",
    "tests/cli/serve.py": "polls a service, with a deadline",
    "tests/cli/test_progress.sh": "signals so many milliseconds apart",
    "tests/cli/test_watch.sh": "asks again until a server is up",
    "tests/golden/pin.py": "polls processes, with a deadline",
    "tests/net/flood.c": "connections at a rate",
    "tests/net/worlds/play.py": "polls processes, with a deadline",
}


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = 0
    for path in sorted((top / "tests").rglob("*")):
        name = path.relative_to(top).as_posix()
        if path.suffix not in (".c", ".h", ".sh", ".py") or name in WAITS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if SLEEPS.search(line):
                print(f"{name}:{number}: a test that sleeps; wait for the event with await or check_await")
                found += 1
    return 1 if found else 0


sys.exit(main())
