"""The world of one round, drawn from its seed: who takes part, over what network, and what befalls whom when."""
import dataclasses
import os
import random
import signal

HOUR = 3600
WEIGHTS = {"vesper": 3, "vesper-both": 2, "vfgnn": 4, "fedavg": 2, "gwldp": 2, "align-2": 1, "align-3": 1}
NETWORKS = ["calm", "calm", "calm", "loss", "delay", "reordering", "partition", "one way cut", "all of it"]
FAULTS = ["killed", "killed", "killed", "interrupted", "stopped", "suspended", "clock", "clock", "disk", "disk",
          "no room"]
SIGNALS = {"killed": signal.SIGKILL, "interrupted": signal.SIGTERM, "stopped": signal.SIGSTOP,
           "suspended": signal.SIGSTOP}


@dataclasses.dataclass
class Fault:
    """What befalls the party of a place at a step of its process."""
    kind: str
    place: int
    step: str = "message"  # or sync, of a file
    at: int = 0
    of: int = 0  # steps of an undisturbed run
    seconds: float = 0.0  # until it goes on, is started again, or has room; 0: not in this world
    real: float = 0.0  # by which its clocks jump, s
    monotonic: float = 0.0
    folder: str = ""  # the one that is a small disk: all of the party's, or its ledger alone
    begin: float = 0.0  # seconds after which another program takes the disk
    kilobytes: int = 0  # that it leaves

    def environment(self):
        """What the preloaded library hears (shim.c)."""
        if self.kind == "disk":
            return {}
        full = (self.seconds or 1e6) if self.kind == "no room" else 0
        return {"WORLD_STEP": self.step, "WORLD_AT": str(self.at), "WORLD_SIGNAL": str(int(SIGNALS.get(self.kind, 0))),
                "WORLD_REAL": str(self.real), "WORLD_MONOTONIC": str(self.monotonic), "WORLD_FULL": str(full)}

    def __str__(self):
        when = f" at {self.step} {self.at} of {self.of}"
        if self.kind == "disk":
            when = f" {self.folder} has {self.kilobytes} KB left from {self.begin:.2f} s on"
        clocks = "".join(f", {name} {jump / HOUR:+.2f} h" for name, jump in
                         (("real time", self.real), ("monotonic time", self.monotonic)) if jump)
        after = f", for {self.seconds:.2f} s" if self.seconds else ""
        return f"p{self.place} {self.kind}{when}{clocks}{after}"


@dataclasses.dataclass
class Act:
    """The parties are started once, over one network."""
    network: str
    links: list  # arguments of bad_network
    faults: list

    def __str__(self):
        links = f" ({' '.join(self.links)})" if self.links else ""
        return f"network {self.network}{links}, {'; '.join(map(str, self.faults)) or 'no fault'}"


@dataclasses.dataclass
class World:
    seed: int
    cast: object
    fresh: bool  # noise that no seed fixes
    acts: list
    show: bool  # all are started again after the run is done, and show it

    def __str__(self):
        acts = "; then ".join(map(str, self.acts))
        return f"{self.cast.name}{' with fresh noise' if self.fresh else ''}, {acts}"


def draw_links(draw, network, places, length):
    """Faults of links, as bad_network takes them; `length`: seconds of an undisturbed run."""
    if network == "calm":
        return []
    if network in ("partition", "one way cut"):
        a, b = draw.sample(range(1, places + 1), 2)
        if network == "partition" and places > 2:
            a, b = 1, b if b != 1 else a  # the first is whom all talk to
        begin = draw.uniform(0, 1.2 * length)
        way = "-" if network == "partition" else ">"
        return ["*:delay=1", f"{a}{way}{b}:cut={begin:.2f}-{begin + draw.choice([0.3, 1, 2.5, 6]):.2f}"]
    parts = {"loss": [f"loss={draw.choice([1, 3, 8])}", "delay=1"], "delay": [f"delay={draw.choice([5, 15, 40])}"],
             "reordering": ["delay=2", f"jitter={draw.choice([3, 10, 30])}"]}
    parts["all of it"] = ["delay=5", "jitter=10", "loss=3"]
    return ["*:" + ",".join(parts[network])]


def draw_fault(draw, calm):
    """`calm`: what an undisturbed run of the cast took (play.Calm)."""
    kind = os.environ.get("FAULT") or draw.choice(FAULTS)
    party = draw.choice(calm.cast.parties)
    fault = Fault(kind, party.place)
    fault.step = draw.choice(["message", "message", "sync"])
    fault.of = calm.steps[party.place][fault.step]
    if fault.of == 0:
        fault.step, fault.of = "message", calm.steps[party.place]["message"]
    fault.at = draw.randint(1, fault.of)
    if kind in ("killed", "interrupted", "no room", "disk"):
        fault.seconds = draw.choice([0, 0.05, 0.5, 1.5])
    if kind in ("stopped", "suspended"):
        fault.seconds = draw.choice([0.2, 1, 2.5, 5])
    if kind in ("clock", "suspended"):
        fault.real = draw.choice([1, -1] if kind == "clock" else [1]) * HOUR * draw.uniform(0.5, 30)
        fault.monotonic = fault.real if kind == "suspended" and draw.random() < 0.5 else 0.0
    if kind == "clock" and draw.random() < 0.5:
        fault.at = 1  # wrong from the first handshake on
    if kind == "disk":
        fault.folder = draw.choice(["", "", "ledger"])
        fault.begin = draw.choice([0, draw.uniform(0, calm.seconds)])
        fault.kilobytes = draw.randint(0, 0 if fault.begin else calm.kilobytes[party.place])
        fault.seconds += fault.begin if fault.seconds else 0
    return fault


def draw_act(draw, calm, spaces, mounts):
    network = draw.choice(NETWORKS)
    number = draw.choice([1, 1, 1, 2]) if network == "calm" or not spaces else draw.choice([0, 0, 1, 1, 2])
    faults = {}
    for _ in range(number):
        fault = draw_fault(draw, calm)
        faults.setdefault(fault.place, fault)
    for fault in faults.values():
        if fault.kind == "disk" and not mounts:
            fault.kind = "no room"
    if not spaces:
        network = "calm"
    return Act(network, draw_links(draw, network, len(calm.cast.parties), calm.seconds), list(faults.values()))


def draw_world(seed, calms, spaces, mounts):
    """`spaces`: whether there are namespaces with devices; `mounts`: whether small disks can be mounted."""
    draw = random.Random(seed)
    names = [name for name in WEIGHTS if name in calms]
    calm = calms[draw.choices(names, [WEIGHTS[name] for name in names])[0]]
    fresh = calm.cast.can_be_fresh and draw.random() < 0.5
    acts = [draw_act(draw, calm, spaces, mounts) for _ in range(draw.choice([1, 1, 2]))]
    return World(seed, calm.cast, fresh, acts, draw.random() < 0.3)
