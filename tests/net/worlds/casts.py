"""Who takes part in a round: the parties of each method, how each is started, and what an undisturbed run gives."""
import dataclasses
import os
import subprocess

EPOCHS = 12
LABEL_RELEASES = "--releases 2 --layer-weights --label-epsilon 2 --label-features 0.5 --label-edges 0.3"


@dataclasses.dataclass
class Party:
    """`place` is its number from 1: its keys are keys/pN, its namespace and its address have that number."""
    place: int
    role: str
    data: str = ""
    peers: tuple = ()  # of these it knows the address; the others call it
    listens: bool = False


@dataclasses.dataclass
class Cast:
    """A method and its parties. `fixed`: the seed of noise and masks, without which no model is compared."""
    name: str
    verb: str
    parties: list
    settings: dict = dataclasses.field(default_factory=dict)
    flags: str = ""
    fixed: str = "--insecure-seed 3"
    can_be_fresh: bool = False  # also played with fresh noise; with a fixed seed a second draw is the first one again
    noise_in_product: bool = True
    product: str = "model.safetensors"
    ordered: bool = True  # the product is the same in each run with one seed


def star(server, others):
    """A server that listens, and others that call it."""
    return [Party(1, server, listens=True)] + [
        Party(n, role, data, peers=(1,)) for n, (role, data) in enumerate(others, 2)]


def casts():
    data = Party(1, "data", "g.sotto", listens=True)
    label = Party(2, "label", "g.sotto", peers=(1,))
    both = [dataclasses.replace(data, data="a.sotto"), dataclasses.replace(label, data="b.sotto")]
    training = {"method": "vesper", "hidden": 16, "encoder-epochs": EPOCHS, "epochs": EPOCHS, "epsilon": 4,
                "checkpoint-every": 4}
    holders = [Party(1, "server", listens=True), Party(2, "holder1", "part-1.sotto", peers=(1,), listens=True),
               Party(3, "holder2", "part-2.sotto", peers=(1, 2))]
    clients = star("server", [(f"client{n}", f"client-{n}.sotto") for n in range(1, 5)])
    federation = {"method": "fedavg", "clients": 4, "rounds": 10, "hidden": 8, "checkpoint-every": 3, "split": "planetoid"}
    secure = "--secure-aggregation --client-keys clients.pem"
    lists = dict(product="ids.txt", fixed="", ordered=False)
    return [
        Cast("vesper", "party", [data, label], training, can_be_fresh=True),
        Cast("vesper-both", "party", both, dict(training, seeds=2, publication="layers"), LABEL_RELEASES, can_be_fresh=True),
        Cast("vfgnn", "party", holders, {"method": "vfgnn", "publication": "rows", "hidden": 16, "epochs": 10, "epsilon": 8,
             "delta": 1e-4, "label-holder": 2, "checkpoint-every": 3}, can_be_fresh=True),
        Cast("fedavg", "party", clients, federation, secure, fixed="--insecure-seed 3 --method fedavg"),
        Cast("gwldp", "party", clients, dict(federation, method="gwldp", publication="multibit", rounds=5, epsilon=2), secure,
             can_be_fresh=True, noise_in_product=False),
        Cast("align-2", "align", star("hub", [("leaf", "2.txt")]), **lists),
        Cast("align-3", "align", [Party(1, "hub", peers=(2, 3)), Party(2, "leaf", "2.txt", listens=True),
                                  Party(3, "leaf", "3.txt", listens=True)], **lists),
    ]


def run(sotto, *arguments, **kwargs):
    """The program, which has to succeed; its output."""
    done = subprocess.run([sotto, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)
    if done.returncode != 0:
        raise RuntimeError(f"sotto {' '.join(arguments)} ended with {done.returncode}: {done.stdout}")
    return done.stdout


def write_inputs(sotto, base):
    """Data, keys that trust each other, lists of ids, an empty ledger: what all rounds read."""
    def program(*arguments):
        return run(sotto, *arguments, cwd=base)
    program("data", "generate", "sbm", "--nodes", "300", "--features", "16", "--out", "g.sotto")
    program("data", "part", "g.sotto", "--label-features", "0.5", "--label-edges", "0.3", "--data-out", "a.sotto",
            "--label-out", "b.sotto")
    program("data", "split", "g.sotto", "--vertical", "--holders", "2", "--features", "--edges", "--label-holder", "2",
            "--out", "part")
    program("data", "generate", "sbm", "--nodes", "240", "--features", "12", "--out", "h.sotto")
    program("data", "split", "h.sotto", "--horizontal", "--clients", "4", "--parts", "--out", "client")
    places = range(1, 6)
    for place in places:
        program("identity", "init", "--name", f"p{place}", "--dir", f"keys/p{place}")
    for place in places:
        for other in places:
            if other != place:
                program("identity", "trust", f"keys/p{other}/own.crt", "--dir", f"keys/p{place}")
    with open(os.path.join(base, "clients.pem"), "w", encoding="ascii") as out:
        for place in places[1:]:
            with open(os.path.join(base, f"keys/p{place}/own.crt"), encoding="ascii") as certificate:
                out.write(certificate.read())
    for place in (1, 2, 3):
        with open(os.path.join(base, f"{place}.txt"), "w", encoding="ascii") as out:
            out.writelines(f"{number}\n" for number in range(100 * place, 100 * place + 600))


def common_ids(cast):
    return {str(number) for number in range(100 * len(cast.parties), 700)}


def write_run_files(base, cast, limits):
    """CAST.yaml, and CAST-fresh.yaml without a fixed seed."""
    for name, more in ((cast.name, {"insecure-seed": 3}), (cast.name + "-fresh", {})):
        with open(os.path.join(base, name + ".yaml"), "w", encoding="ascii") as out:
            out.writelines(f"{key}: {value}\n" for key, value in {**cast.settings, **limits, **more}.items())


def command(sotto, cast, party, limits, address, fresh):
    """What a user gives, in the folder with the inputs; `address`: of a place."""
    if cast.verb == "align":
        words = [sotto, "align", party.data or "1.txt"]
        peers = [f"p{n}={address(n)}" for n in party.peers]
        callers = [f"p{other.place}" for other in cast.parties if party.place in other.peers]
        words += ["--listen", address(party.place), "--peer", *callers] if party.listens else ["--connect", *peers]
        for key, value in limits.items():
            words += [f"--{key}", str(value)]
    else:
        words = [sotto, "run", cast.name + ("-fresh" if fresh else "") + ".yaml"]
        if party.data:
            words += ["--data", party.data]
        if party.listens:
            words += ["--listen", address(party.place)]
        for other in cast.parties:
            if other.place in party.peers:
                words += ["--peer", f"p{other.place}={address(other.place)}"]
            elif party.place in other.peers:
                words += ["--peer", f"p{other.place}"]
        words += cast.flags.split() + ([] if fresh else cast.fixed.split())
    return words + ["--role", party.role, "--dir", f"keys/p{party.place}", "--threads", "1"]
