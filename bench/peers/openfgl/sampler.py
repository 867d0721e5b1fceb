"""Batches of nodes with samples of their neighbours, as torch_geometric.loader.NeighborSampler gives them: that one needs torch-sparse, of which
PyPI has no wheel."""
import numpy
import torch
from torch_geometric.loader.neighbor_sampler import EdgeIndex


class NeighborSampler(torch.utils.data.DataLoader):
    def __init__(self, edge_index, sizes, node_idx=None, num_nodes=None, **loading):
        sources, targets = edge_index.cpu().numpy()
        order = numpy.argsort(targets, kind="stable")
        self.sizes, self.neighbours = sizes, sources[order]
        self.offsets = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(targets, minlength=num_nodes))))
        super().__init__(node_idx.tolist(), collate_fn=self.sample, **loading)

    def layer(self, nodes, size):
        """At most `size` neighbours of each node, without replacement: places among `nodes`, and the neighbours."""
        counts = self.offsets[nodes + 1] - self.offsets[nodes]
        rows = numpy.repeat(numpy.arange(len(nodes)), counts)
        begins = numpy.cumsum(counts) - counts
        edges = numpy.arange(counts.sum()) - begins[rows] + self.offsets[nodes][rows]
        order = numpy.lexsort((numpy.random.random(len(edges)), rows))
        kept = order[numpy.arange(len(edges)) - begins[rows] < size]
        return rows[kept], self.neighbours[edges[kept]]

    def sample(self, batch):
        nodes, layers = numpy.asarray(batch), []
        for size in self.sizes:
            rows, found = self.layer(nodes, size)
            new = numpy.setdiff1d(found, nodes)
            wider = numpy.concatenate((nodes, new))
            order = numpy.argsort(wider)
            places = order[numpy.searchsorted(wider, found, sorter=order)]
            layers.append(EdgeIndex(torch.from_numpy(numpy.stack((places, rows))), None, (len(wider), len(nodes))))
            nodes = wider
        return len(batch), torch.from_numpy(nodes), layers[::-1]
