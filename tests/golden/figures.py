"""What pin.py reads of a finished run: digests of models, measures, figures of the privacy statement.

Only this file knows the form of the statement.
"""
import hashlib
import json
import pathlib
import struct


def short(digest):
    return digest.hexdigest()[:16]


def model_digest(path):
    """Two digests of a safetensors file: names, types and shapes; and values. Metadata is left out."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__", None)
    shapes, values = hashlib.sha256(), hashlib.sha256()
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        shapes.update(json.dumps([name, entry["dtype"], entry["shape"]]).encode())
        values.update(raw[8 + length + begin:8 + length + end])
    return f"{short(shapes)}:{short(values)}"


def models_of(run):
    """Digests of the models of a run folder: the one that is kept and, of several seeds, that of each."""
    seeds = sorted(path.name for path in run.glob("seed-*"))
    found = {}
    for place in ["", *(seeds if len(seeds) > 1 else [])]:
        for path in (run / place / "model.safetensors", run / place / "owner-only/model.safetensors"):
            if path.exists():
                found[str(pathlib.PurePath(place, "model.safetensors"))] = model_digest(path)
    return found


def measures_of(line):
    """Test measures (means over seeds) of the JSON result of a run, {} for a role that has none."""
    test = json.loads(line).get("test") if line else None
    means = {key: (value or {}).get("mean") for key, value in (test or {}).items()}
    return {key: round(mean, 6) for key, mean in means.items() if mean is not None}


def verdict_of(s):
    """What the verdicts on the dataset's account come to."""
    classes = [v["class"] for v in s["verdicts"] if v["account"] == "data"]
    bare = classes.count("not protected")
    if s.get("adjacency") == "none" and not bare:
        return "no edge"
    if bare:
        return "not private" if bare == len(classes) else "in part"
    return "vacuous" if (s.get("total_epsilon") or 0) > 50 or s.get("delta", 0) > 1e-3 else "private"


def figures_of(s):
    """The figures of statement.json."""
    figures = {key: s.get(key) for key in ("epsilon", "total_epsilon", "delta", "mu", "adjacency", "sound")}
    figures["verdict"] = verdict_of(s)
    noises = [[m["sensitivity"], m["noise"]] for m in s.get("mechanisms") or []
              if "noise" in m and "sensitivity" in m and m.get("account") == "data"]
    figures["noises"] = noises or None
    claim, labels, label_edges = s.get("claim") or {}, s.get("labels") or {}, s.get("label_edges") or {}
    figures["claimed_epsilon"] = claim.get("epsilon")
    figures["labels_epsilon"], figures["flip_probability"] = labels.get("epsilon"), labels.get("flip_probability")
    figures["label_edges_epsilon"] = label_edges.get("epsilon")
    corrected = ((s.get("details") or {}).get("noise_free_claim") or {}).get("corrected") or {}
    figures["noise_free"] = [corrected["epsilon"], corrected["delta"]] if corrected else None
    return figures


def statement_of(run):
    """The figures of a run's privacy statement; absent figures are left out."""
    if (run / "statement.json").exists():
        figures = figures_of(json.loads((run / "statement.json").read_text()))
        return {key: value for key, value in figures.items() if value is not None}
    raise ValueError(f"{run.name} has no privacy statement")
