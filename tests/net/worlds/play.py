"""Plays one round: the parties in their world until all have ended, then, if any did not complete, all once more in a
whole world."""
import dataclasses
import os
import shutil
import subprocess
import time

import casts
import judge
from stage import Disk, Process

LIBRARY = os.path.join("tests", "libworld_shim.so")


@dataclasses.dataclass
class Calm:
    """What an undisturbed run of a cast takes and gives; all but the first two by place."""
    cast: object
    seconds: float = 0.0
    steps: dict = dataclasses.field(default_factory=dict)
    kilobytes: dict = dataclasses.field(default_factory=dict)
    charges: dict = dataclasses.field(default_factory=dict)
    products: dict = dataclasses.field(default_factory=dict)
    statements: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Round:
    """What came of it: outcomes by place, a table for each act; faults that happened; a fault of the program."""
    world: object
    folder: str
    outcomes: list = dataclasses.field(default_factory=list)
    struck: list = dataclasses.field(default_factory=list)
    again: bool = False  # in a whole world
    problem: str = ""
    seconds: float = 0.0

    def acts(self):
        """Those that were played."""
        return self.world.acts[:len(self.outcomes)]


class Player:
    def __init__(self, sotto, build, base, stage):
        self.sotto, self.build, self.base, self.stage = sotto, build, base, stage

    def environment(self, folder):
        own = os.path.join(folder, "ledger", "")
        # The preloaded library comes before a sanitizer's that is a shared one.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return {"SOTTO_LEDGER": own + "ledger.db", "SOTTO_LEDGER_KEY": own + "owner.key", "NO_COLOR": "1",
                "ASAN_OPTIONS": sanitizer.lstrip(":")}

    def program(self, folder, *arguments):
        try:
            return casts.run(self.sotto, *arguments, cwd=folder, env={**os.environ, **self.environment(folder)})
        except RuntimeError as problem:
            raise judge.Failed(str(problem)) from None

    def start(self, cast, party, folder, limits, fresh=False, extra=None):
        """`folder`: of the round; the party's own folder in it has its run folder and its ledger."""
        own = os.path.join(folder, f"p{party.place}")
        words = casts.command(self.sotto, cast, party, limits, self.stage.address, fresh)
        environment = {**self.environment(own), **(extra or {})}
        command = self.stage.command(party.place, environment, [*words, "--out", os.path.join(own, "out")])
        return Process(command, self.base, own + ".log")

    def prepare(self, cast, folder, faults=()):
        """A folder and an empty ledger for each party. Returns the small disks, by place."""
        disks = {}
        for party in cast.parties:
            own = os.path.join(folder, f"p{party.place}")
            os.makedirs(os.path.join(own, "ledger"), mode=0o700)
            for fault in faults:
                if fault.kind == "disk" and fault.place == party.place and party.place not in disks:
                    disks[party.place] = Disk(os.path.join(own, fault.folder))
            os.makedirs(os.path.join(own, "ledger"), mode=0o700, exist_ok=True)
            for name in ("ledger.db", "owner.key"):
                shutil.copy(os.path.join(self.base, "empty", "ledger", name), os.path.join(own, "ledger"))
        return disks

    def all_complete(self, cast, folder, limits, limit, fresh=False, extras=None):
        """All parties in a whole world: they have to complete."""
        self.stage.join(len(cast.parties), 0, [])
        running = {party.place: self.start(cast, party, folder, limits, fresh, (extras or {}).get(party.place))
                   for party in cast.parties}
        end = time.monotonic() + limit
        try:
            while any(process.ended() is None for process in running.values()):
                if time.monotonic() > end:
                    raise judge.Failed(f"hangs in a whole world: {alive(running)}")
                time.sleep(0.01)
        finally:
            for process in running.values():
                process.end()
        for place, process in running.items():
            said = process.said()
            if process.ended() != 0 or judge.BROKEN.search(said):
                raise judge.Failed(f"p{place} ended with {process.ended()} in a whole world: {said[-400:]}")

    def calm(self, cast, limits):
        """An undisturbed run."""
        folder = os.path.join(self.base, "calm-" + cast.name)
        self.prepare(cast, folder)
        got = Calm(cast)
        library = os.path.join(self.build, LIBRARY)
        extras = {party.place: {"LD_PRELOAD": library, "WORLD_COUNTS": os.path.join(folder, f"{party.place}.steps")}
                  for party in cast.parties}
        begin = time.monotonic()
        self.all_complete(cast, folder, limits, 120, extras=extras)
        got.seconds = time.monotonic() - begin
        for party in cast.parties:
            place, own = party.place, os.path.join(folder, f"p{party.place}")
            with open(os.path.join(folder, f"{place}.steps"), encoding="ascii") as counts:
                got.steps[place] = dict(zip(("message", "sync"), map(int, counts.read().split())))
            used = subprocess.run(["du", "-sk", own], stdout=subprocess.PIPE, check=True, text=True).stdout
            got.kilobytes[place] = int(used.split()[0])
            ids = judge.charges(lambda where, *words: self.program(where, *words), own)
            got.charges[place] = len(ids)
            out = os.path.join(own, "out")
            got.products[place], got.statements[place] = judge.products(cast, out), judge.statement(out)
            judge.judge_charges(place, got, ids, judge.drawn(out))
            judge.judge_folder(place, out)
        return got

    def play(self, world, calm, limits, limit):
        begin = time.monotonic()
        played = Round(world, os.path.join(self.base, f"round-{world.seed}"))
        cast, disks = world.cast, {}
        own = {party.place: os.path.join(played.folder, f"p{party.place}") for party in cast.parties}
        before = {place: [] for place in own}
        try:
            disks = self.prepare(cast, played.folder, [fault for act in world.acts for fault in act.faults])
            for act in world.acts:
                self.stage.join(len(cast.parties), world.seed, act.links)
                Disturbed(self, played, act, limits, disks).until_ended(limit)
                for disk in disks.values():
                    disk.free()
                before = {place: self.charged(place, folder, before[place]) for place, folder in own.items()}
                played.again = any(end != "completed" for end in played.outcomes[-1].values())
                if not played.again:
                    break
            if played.again or world.show:
                self.all_complete(cast, played.folder, limits, limit, world.fresh)
            self.judge(played, calm, own, before)
        except judge.Failed as problem:
            played.problem = str(problem)
        finally:
            self.keep_or_remove(played, disks)
        played.seconds = time.monotonic() - begin
        return played

    def charged(self, place, folder, before):
        """Ids of all charges so far, of which those before are the first."""
        ids = judge.charges(self.program, folder)
        if ids[:len(before)] != before:
            raise judge.Failed(f"p{place}: charges that were there are gone")
        return ids

    def judge(self, played, calm, own, before):
        world, cast = played.world, played.world.cast
        found = {place: judge.products(cast, os.path.join(folder, "out")) for place, folder in own.items()}
        judge.judge_products(world, calm, found)
        for place, folder in own.items():
            out = os.path.join(folder, "out")
            judge.judge_charges(place, calm, self.charged(place, folder, before[place]), judge.drawn(out))
            judge.judge_folder(place, out)
            if cast.ordered and judge.statement(out) != calm.statements[place]:
                raise judge.Failed(f"p{place} states {judge.statement(out)}, and {calm.statements[place]} undisturbed")

    def keep_or_remove(self, played, disks):
        """The folders of a round that failed are kept, those on small disks as copies."""
        for place, disk in disks.items():
            if played.problem:
                shutil.copytree(disk.folder, f"{disk.folder}-disk", dirs_exist_ok=True)
            disk.close()
        if not played.problem:
            shutil.rmtree(played.folder)


def alive(running):
    return ", ".join(f"p{place}" for place, process in running.items() if process.child.returncode is None)


class Disturbed:
    """The parties of a round while its world is broken."""

    def __init__(self, player, played, act, limits, disks):
        self.player, self.played, self.act, self.limits = player, played, act, limits
        self.outcomes = {}
        played.outcomes.append(self.outcomes)
        self.faults = {fault.place: fault for fault in act.faults}
        self.disks = {place: disk for place, disk in disks.items()
                      if place in self.faults and self.faults[place].kind == "disk"}
        self.begin = time.monotonic()
        self.revive_at = {}
        self.running = {}
        for party in played.world.cast.parties:
            self.start(party, self.faults.get(party.place))

    def fired(self, place):
        return os.path.join(self.played.folder, f"p{place}-{len(self.played.outcomes)}.fired")

    def start(self, party, fault=None):
        extra = {}
        if fault is not None and fault.kind != "disk":
            extra = {**fault.environment(), "LD_PRELOAD": os.path.join(self.player.build, LIBRARY),
                     "WORLD_NOTE": self.fired(party.place)}
        self.running[party.place] = self.player.start(self.played.world.cast, party, self.played.folder, self.limits,
                                                      self.played.world.fresh, extra)

    def attend(self, party):
        """Lets a party go on, or starts it again, when it is time; False when it has ended for good."""
        place, now = party.place, time.monotonic()
        process, fault = self.running[place], self.faults.get(place)
        status = process.ended()
        if place in self.disks:
            self.disks[place].follow(fault, now - self.begin)
        if status is None:
            if process.stopped is not None and now > process.stopped + fault.seconds:
                process.go_on()
            return True
        if place in self.outcomes:
            return False
        struck = fault.kind if fault is not None and os.path.exists(self.fired(place)) else None
        came_to = judge.outcome(place, status, process.said(), struck)
        if came_to in ("killed", "interrupted") and fault.seconds:
            if now < self.revive_at.setdefault(place, now + fault.seconds):
                return True
            self.faults.pop(place)
            self.start(party)
            return True
        self.outcomes[place] = came_to
        return False

    def until_ended(self, limit):
        try:
            while any([self.attend(party) for party in self.played.world.cast.parties]):
                if time.monotonic() > self.begin + limit:
                    raise judge.Failed(f"hangs after {limit:.0f} s: {alive(self.running)}")
                time.sleep(0.01)
        finally:
            for process in self.running.values():
                process.end()
            self.played.struck += [fault for fault in self.act.faults
                                   if fault.kind == "disk" or os.path.exists(self.fired(fault.place))]
