"""What a round must have come to: named errors, the same model, no further charge, the bytes that were charged."""
import glob
import hashlib
import json
import os
import re
import signal

import casts

# Errors with which a disturbed party may end, by what they have to say. Another text fails the round: it is a fault, or
# an error that nobody has looked at.
NAMED = [
    ("grace struck", r"the limit 'grace' struck: no connection with \S+ .* start all parties and look at"),
    ("peer gave up", r"gave the run up: "),
    ("no space", r"No space left on device: make room there, and give the same command again"),
    ("certificate", r"its certificate is refused: certificate is not yet valid"),
    ("clock", r"the certificate is not valid yet; are both clocks right\?"),
]
BROKEN = re.compile(r"ERROR: \w+Sanitizer|runtime error:|broken invariant|terminate called|Assertion")


class Failed(Exception):
    """A round is not as it must be."""


def named(said):
    """The name of the error with which a start ended."""
    errors = [line for line in said.splitlines() if line.startswith("sotto: ") and "NOT PRIVATE" not in line]
    text = errors[-1] if errors else ""
    for name, words in NAMED:
        if re.search(words, text):
            return name
    raise Failed(f"an error without a name: {text or 'nothing was said'}")


def outcome(place, status, said, struck):
    """How a start ended, in a word; `struck`: the kind of the fault that befell it, or None."""
    if BROKEN.search(said):
        raise Failed(f"p{place}: {BROKEN.search(said).group()}")
    if status == 0:
        return "completed"
    if (status, struck) in ((-signal.SIGKILL, "killed"), (130, "interrupted")):
        return struck
    if status not in (1, 3):
        raise Failed(f"p{place} ended with status {status}")
    try:
        return named(said)
    except Failed as problem:
        raise Failed(f"p{place} ended with {problem}") from None


def products(cast, out):
    """The contents of the files that a run is for, by their names in the run folder."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(out), "**", cast.product), recursive=True):
        with open(path, "rb") as file:
            found[os.path.relpath(path, out)] = file.read()
    return found


def statement(out):
    """What a statement says that does not depend on time and place: charges, epsilon, releases, names of payloads."""
    path = os.path.join(out, "statement.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        stated = json.load(file)
    payloads = set()

    def walk(part):
        for value in part.values() if isinstance(part, dict) else part:
            if isinstance(value, (dict, list)):
                walk(value)
        if isinstance(part, dict) and "payload" in part:
            payloads.add(part["payload"])
    walk(stated)
    releases = [(m.get("what"), m.get("releases_planned"), m.get("releases_made")) for m in stated.get("mechanisms", [])]
    return stated.get("charges_made"), stated.get("total_epsilon"), releases, sorted(payloads)


def judge_folder(place, out):
    """Lines of the log of measures are whole, and no piece of a file is left."""
    for folder, _, names in os.walk(out):
        for name in names:
            if ".partial." in name:
                raise Failed(f"p{place}: {os.path.join(folder, name)} is left of a file that was never finished")
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name), encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        try:
                            json.loads(line)
                        except ValueError:
                            raise Failed(f"p{place}: {name}: line {number} is not whole: {line[:60]!r}") from None


def drawn(out):
    """The token of every release in a run folder: from its nonce and the digest of the bytes that are there now. A
    file whose bytes are not those that were drawn has no token, and fails."""
    tokens = set()
    for path in glob.glob(os.path.join(glob.escape(out), "**", "*.made"), recursive=True):
        with open(path, encoding="utf-8") as made:
            lines = dict(line.split(" ", 1) for line in made.read().splitlines()[1:3])
        with open(path[:-len(".made")], "rb") as file:
            digest = hashlib.blake2b(file.read(), digest_size=32).digest()
        if digest.hex() != lines["digest"]:
            raise Failed(f"{path}: the file is not the one that was drawn")
        tokens.add(hashlib.blake2b(bytes.fromhex(lines["nonce"]) + digest, digest_size=16).hexdigest())
    return tokens


def charges(program, folder):
    """Ids of the charges of a party's ledger, which has to be whole."""
    program(folder, "ledger", "verify")
    return [charge["id"] for charge in json.loads(program(folder, "ledger", "show", "--json"))]


def judge_charges(place, calm, ids, tokens):
    """`ids`: of all charges; `tokens`: of the releases in the run folder."""
    if len(ids) != calm.charges[place] or len(set(ids)) != len(ids):
        raise Failed(f"p{place} has {len(ids)} charges, and {calm.charges[place]} in an undisturbed run")
    charged = {name.rsplit("-", 1)[-1] for name in ids}
    if not tokens <= charged:  # releases that nobody can ask for again are removed
        raise Failed(f"p{place}: releases are there that were not charged: {sorted(tokens - charged)}")


def judge_products(world, calm, found):
    """`found`: products of each place. All are those of the undisturbed run; without a fixed seed, they are there."""
    cast = world.cast
    if not cast.ordered:
        lists = {tuple(files.get(cast.product, b"").decode().split()) for files in found.values()}
        if len(lists) != 1 or set(lists.pop()) != casts.common_ids(cast):
            raise Failed("not the common ids in one order")
        return
    for place, files in found.items():
        if set(files) != set(calm.products[place]):
            raise Failed(f"p{place} has {sorted(files)}, and {sorted(calm.products[place])} in an undisturbed run")
        for name, content in files.items():
            if not (world.fresh and cast.noise_in_product) and content != calm.products[place][name]:
                raise Failed(f"p{place}: {name} is another than in an undisturbed run")
