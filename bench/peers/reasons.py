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
    "edge level": "Epsilon 1, delta 1e-6, random 70/10/20 splits. An undirected edge changes two sums. Every program has K = 1: a second layer changes less than one seed of noise can tell. "
                  "Of LPGNet on cora ten seeds were run, since three do not tell the two programs apart.",
    "node level": "Epsilon 8, delta 1e-6, edges dropped until no node has more than 50. The loop and the program calibrate one noise multiplier for all trainings and sums, for a node that is added "
                  "or removed; sotto's epsilon is for one that is replaced. The loop has dropout 0.5, the program none.",
    "without privacy": "No noise; 64 columns, dropout 0.5, 100 epochs, the epoch with the best validation accuracy.",
    "DP-SGD": "A perceptron of 64 columns on features; epsilon 8 and delta 1e-6 for a node.",
    "parts of one graph": "Ten clients, by the Louvain method; the two programs draw clients by themselves. OpenFGL has 100 rounds, its default, of three local epochs, or of one where "
                          "feddep has it. Its fedsage_plus and feddep are measured by each client's model on its own nodes, all others by the common model.",
    "federated averaging": "Ten clients with random nodes, one local step a round. The two programs draw clients by themselves.",
    "averaging by secure sums": "The same with Flower's SecAgg+ and sotto's secure sums. In Flower all clients share keys, its default, and its messages are "
                                "copied within one process.",
    "Gromov-Wasserstein distances": "The loop and sotto descend by conditional gradient, sotto from six starts, over all pairs; ot.batch has an entropic solver. Value: mean of "
                                    "the minimised cost, the squared distance, of some random pairs by POT, of all pairs by sotto.",
    "kernels of graphs": "Ten folds; the constant of the SVM is chosen within the training folds.",
    "accounting": "Whole process of `sotto account` against the call alone of dp-accounting.",
    "ring product": "A product of 64-bit integers modulo 2^64.",
    "private set intersection": "Half of the ids are common. Value: ids found.",
}

# Comparisons that were made outside of this harness, and that sotto loses.
ELSEWHERE = ["- private set intersection: SecretFlow's RR22 takes 0.24 times our processor time with 10^5 ids a party (0.8 s against 3.3 s) and 0.26 times with 10^6 (7.7 s against "
             "29.7 s). With 10^6 it needs 751 MB of memory where sotto needs 47 MB; bytes were not measured: it builds on oblivious transfer and hash tables, sotto on scalar "
             "multiplications ([align.md](../align.md#lists-from-another-program))."]

# Of seed 1. The program with one part changed; then its re-implemented loop with 16 columns, as published, and no dropout.
NODE_NOISE = ("its noise is for a node that is added or removed, which changes sums by sqrt(50) = 7.1. A replaced node changes ours by 19.6; at the program's noise its epsilon is 19.5. "
              "Seed 1: the program without its group norm has 43.3 in place of 57.6; with edges dropped at both ends, as ours, 57.6. "
              "The loop with 16 columns and no dropout has 58.6; with the noise of a replaced node 54.0; with sums clipped to norm 7.1, as ours, 53.2; with both 52.5. "
              "Most of a sum is what all rows have in common, and the clip cuts the rest with it. Group norm in the loop did not help (42.9), which is not explained. "
              "`best` releases a small table of counts in place of sums, and has more than the program")
NODE_STEPS = ("each training of sotto takes 400 batches of a quarter of the training nodes, that of the loop 256 nodes a batch for 10 epochs: sotto reads a node 100 times, the loop 10 times. "
              "Four fifths of sotto's time are gradients of single nodes (one profile)")

WHY = {
    ("accuracy", "without privacy", "cora", "pyg"): "`gnn --aggregator gin` trains its encoder without edges and its decoder on sums that stay; PyTorch Geometric trains all layers through the graph. "
                                                    "In a changed build that did so too, cora had 87.7, but computers 48.3 and photo 53.3, against 90.4 and 95.6 as it is",
    ("accuracy", "node level", "facebook", "progap_program"): NODE_NOISE,
    ("time", "node level", "facebook", "progap"): NODE_STEPS,
    ("time", "node level", "computers", "progap"): NODE_STEPS,
    ("accuracy", "DP-SGD", "cora", "opacus"): "Opacus's epsilon is for a node that is added or removed, ours for one that is replaced, which takes more noise. "
                                              "At the noise of Opacus ours has epsilon 11.4 for a replaced node: the last row",
    ("time", "kernels of graphs"): "`compare classify` chooses gamma as well as the constant in nested folds, which is 94 % of its time, and trains kNN as well",
    ("accuracy", "kernels of graphs"): "sotto has the shortest-path kernel and no Weisfeiler-Lehman kernel",
    ("time", "accounting"): "sotto's time has the start of the process",
}


def why(what, task, dataset, peer, method):
    return WHY.get((what, task, dataset, peer)) or WHY.get((what, task)) or "the reason was not examined"
