"""What the runners of all peers share: the exported data, measures of a result, and the one line that a run prints.

A runner is started as `run.py JOB`, where JOB is JSON: data (a file of `sotto data export`), seed, options, and what the task needs.
Its line has what it measured; bench/peers/run.py adds peer, dataset and seed. Time runs from the reading of the data to the result:
the start of Python and the imports are not in it. One thread."""
import importlib.metadata
import json
import os
import resource
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TRAIN, VALIDATION, TEST = 1, 2, 3


class Data:
    """Of one graph: adjacency and features (rows of unit norm) as scipy's CSR, labels, and the nodes of each part."""

    def __init__(self, path):
        import numpy
        from scipy import sparse
        with numpy.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        nodes, columns = map(int, arrays["shape"])
        indptr, indices = arrays["indptr"].astype(numpy.int64), arrays["indices"].astype(numpy.int64)
        self.adjacency = sparse.csr_matrix((numpy.ones(len(indices), numpy.float32), indices, indptr), shape=(nodes, nodes))
        if "features" in arrays:
            features = sparse.csr_matrix(arrays["features"])
        else:
            features = sparse.csr_matrix((arrays["feature_data"], arrays["feature_indices"].astype(numpy.int64),
                                          arrays["feature_indptr"].astype(numpy.int64)), shape=(nodes, columns))
        self.features = unit_rows(features)
        self.labels = arrays["labels"].astype(numpy.int64)
        self.classes = int(self.labels.max()) + 1
        self.parts = [numpy.flatnonzero(arrays["split"] == part) for part in (TRAIN, VALIDATION, TEST)]


def unit_rows(features):
    import numpy
    from scipy import sparse
    norms = numpy.sqrt(numpy.asarray(features.multiply(features).sum(1)).ravel())
    return (sparse.diags((1 / numpy.maximum(norms, 1e-12)).astype(numpy.float32)) @ features).tocsr().astype(numpy.float32)


def measures(scores, labels):
    """Of test scores, one column a class."""
    from sklearn.metrics import f1_score, roc_auc_score
    said = scores.argmax(1)
    out = {"accuracy": float((said == labels).mean()), "macro_f1": float(f1_score(labels, said, average="macro"))}
    if scores.shape[1] == 2:
        out["auc"] = float(roc_auc_score(labels, scores[:, 1] - scores[:, 0]))
    return out


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


def main(work, package):
    """work(job) gives the keys of the line."""
    job = json.loads(sys.argv[1])
    wall, cpu = time.perf_counter(), time.process_time()
    line = work(job)
    line = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, **line}
    line["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line["version"] = version(package)
    print(json.dumps(line), flush=True)
