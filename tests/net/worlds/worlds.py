#!/usr/bin/env python3
"""Degraded worlds: parties play rounds through lost, late, reordered and cut off packets, full disks, jumping clocks,
kills and stops. Every round has to complete, or end with a named error and then complete in a whole world: with the
model of an undisturbed run, and no charge that such a run has not.

  SOTTO=build/sotto SOTTO_BUILD=build tests/net/worlds/worlds.py

ROUNDS (30) rounds, JOBS (4) at a time, from SOTTO_TEST_SEED on, one seed a round: SOTTO_TEST_SEED=N ROUNDS=1 plays
that round again. ONLY=vfgnn plays one cast, FAULT=killed one kind of fault. A round that fails keeps its folder.
Exit status 77: no network namespaces; the rounds were then played over the loopback, without faults of the network.
"""
import os
import random
import shutil
import signal
import sys
import tempfile
import threading

import casts
import report
from play import Player
from stage import UNAVAILABLE, Disk, Stage
from world import draw_world

PLACES = 5


class Rounds:
    """Rounds that several threads play, each on a stage of its own."""

    def __init__(self, base, seed, number):
        self.base, self.seeds = base, iter(range(seed, seed + number))
        self.sotto, self.build = os.path.abspath(os.environ["SOTTO"]), os.path.abspath(os.environ["SOTTO_BUILD"])
        self.lock = threading.Lock()
        self.played, self.calms = [], {}
        self.limits, self.limit, self.mounts = {}, 0, False

    def prepare(self, stage):
        """Undisturbed runs, by which the limits of time are chosen: a machine that is slow to run is slow to start."""
        casts.write_inputs(self.sotto, self.base)
        os.makedirs(os.path.join(self.base, "empty", "ledger"), mode=0o700)
        player = Player(self.sotto, self.build, self.base, stage)
        player.program(os.path.join(self.base, "empty"), "ledger", "init")
        only = os.environ.get("ONLY")
        played = [cast for cast in casts.casts() if only in (None, cast.name)]
        for cast in played:
            generous = {"idle-limit": 20, "grace": 60}
            casts.write_run_files(self.base, cast, generous)
            self.calms[cast.name] = player.calm(cast, generous)
        slowest = max(calm.seconds for calm in self.calms.values())
        self.limits = {"idle-limit": 1.5, "grace": round(3 + 2 * slowest, 1)}
        self.limit = 30 + 4 * self.limits["grace"]
        for cast in played:
            casts.write_run_files(self.base, cast, self.limits)
        disk = Disk(os.path.join(self.base, "empty"))
        self.mounts = disk.mounted
        disk.close()
        print(f"an undisturbed run takes {slowest:.1f} s at most; grace {self.limits['grace']} s, "
              f"a round ends within {self.limit:.0f} s", flush=True)

    def play(self, stage):
        player = Player(self.sotto, self.build, self.base, stage)
        while True:
            with self.lock:
                seed = next(self.seeds, None)
            if seed is None:
                return
            world = draw_world(seed, self.calms, not stage.why, self.mounts)
            played = player.play(world, self.calms[world.cast.name], self.limits, self.limit)
            with self.lock:
                self.played.append(played)
                report.tell(played)


def guarded(rounds, stage):
    try:
        rounds.play(stage)
    except BaseException:
        os.write(2, b"a thread of rounds ended early\n")
        rounds.played.append(None)
        raise


def main():
    number, jobs = int(os.environ.get("ROUNDS", "30")), int(os.environ.get("JOBS", "4"))
    given = os.environ.get("SOTTO_TEST_SEED") or "1"
    seed = random.randrange(1, 10**6) if given == "random" else int(given)
    base = tempfile.mkdtemp(prefix="sotto-worlds-")
    stages = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # namespaces go
    try:
        stages += [Stage(os.environ["SOTTO_BUILD"], slot, PLACES) for slot in range(jobs)]
        rounds = Rounds(base, seed, number)
        rounds.prepare(stages[0])
        threads = [threading.Thread(target=guarded, args=(rounds, stage), daemon=True) for stage in stages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for stage in stages:
            stage.close()
    good = report.summarise(rounds.played, rounds.calms)
    if good:
        shutil.rmtree(base)
    else:
        print(f"folders of the rounds that failed: {base}")
        return 1
    if stages[0].why:
        print(f"skipped: faults of the network: {stages[0].why}")
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main())
