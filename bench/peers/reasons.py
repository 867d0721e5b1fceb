"""What bench/peers/table.py says in words: the introduction, notes of tasks, and why sotto is behind a peer."""

INTRODUCTION = """# Peers in one harness
Made by `make peers` ([bench.md](../bench.md#peers)): sotto and other libraries on the same data, splits and seeds, one thread each. Programs of a
task ran in turn, on two cores of a shared machine. Other work shared the cores, so wall times say little; *runs* is the number of seeds. Versions: {versions}.

*GAP's, ProGAP's, CARIBOU's and LPGNet's loops* are small re-implementations in PyTorch of the published training, not their authors' programs: those are not packaged.
*Budget of the choice*: each program has a grid of at most two points, of which validation accuracy with one other seed chooses. Where a grid has one point, all programs of
the task share it. Figures are means and deviations over seeds. *Times ours*: processor time, as a multiple of sotto's, the median over runs in
turn. A peer's time begins when Python and its libraries are loaded; sotto's is that of the whole process, with its start, its files and its ledger. *Peak* counts the loaded
libraries. *Epsilon*: of the same noise, by the accountant that the peer's program has (Renyi for the loops and Opacus), and by `sotto account`."""

NOTES = {
    "edge level": "Epsilon 1, delta 1e-6, random 70/10/20 splits. An undirected edge changes two sums. Every program has K = 1: a second layer changes less than one seed of noise can tell.",
    "node level": "Epsilon 8, delta 1e-6, edges dropped until no node has more than 50. The loop calibrates one noise multiplier for all trainings and sums.",
    "without privacy": "No noise; 64 columns, dropout 0.5, 100 epochs, the epoch with the best validation accuracy.",
    "DP-SGD": "A perceptron of 64 columns on features; epsilon 8 and delta 1e-6 for a node.",
    "parts of one graph": "Ten clients, by the Louvain method; the two programs draw clients by themselves. OpenFGL has 100 rounds of three local epochs, its default. "
                          "fedsage_plus is measured by each client's model on its own nodes, all others by the common model.",
    "federated averaging": "Ten clients with random nodes, one local step a round. The two programs draw clients by themselves.",
    "Gromov-Wasserstein distances": "The loop and sotto descend by conditional gradient, sotto from six starts, over all pairs; ot.batch has an entropic solver. Value: mean of "
                                    "the minimised cost, the squared distance, of some random pairs by POT, of all pairs by sotto.",
    "kernels of graphs": "Ten folds; the constant of the SVM is chosen within the training folds.",
    "accounting": "Whole process of `sotto account` against the call alone of dp-accounting.",
    "ring product": "A product of 64-bit integers modulo 2^64.",
    "private set intersection": "Half of the ids are common. Value: ids found.",
}

WHY = {
    ("accuracy", "without privacy", "cora", "pyg"): "`gnn --aggregator gin` trains its encoder without edges and its decoder on sums that stay; PyTorch Geometric trains all layers through the graph",
    ("accuracy", "DP-SGD", "cora", "opacus"): "Opacus's epsilon is for a node that is added or removed, ours for one that is replaced, which takes more noise. "
                                              "At the noise of Opacus ours has epsilon 11.4 for a replaced node: the last row",
    ("time", "kernels of graphs"): "`compare classify` chooses gamma as well as the constant in nested folds, which is 94 % of its time, and trains kNN as well",
    ("accuracy", "kernels of graphs"): "sotto has the shortest-path kernel and no Weisfeiler-Lehman kernel",
    ("time", "accounting"): "sotto's time has the start of the process",
}


def why(what, task, dataset, peer, method):
    return WHY.get((what, task, dataset, peer)) or WHY.get((what, task)) or "the reason was not examined"
