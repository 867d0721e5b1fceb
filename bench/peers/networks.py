"""Parts that the re-implemented training loops share, in PyTorch: layers, full-batch training, DP-Adam, and noise by Renyi accounting."""
import copy
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
warnings.filterwarnings("ignore", message="Sparse")  # products of CSR tables are called a beta by PyTorch


def csr(matrix):
    return torch.sparse_csr_tensor(torch.from_numpy(matrix.indptr.astype(numpy.int64)),
                                   torch.from_numpy(matrix.indices.astype(numpy.int64)),
                                   torch.from_numpy(matrix.data.astype(numpy.float32)), size=matrix.shape)


def table(matrix):
    """Dense where a tenth or more of the places is not 0."""
    return csr(matrix) if matrix.nnz * 10 < matrix.shape[0] * matrix.shape[1] else torch.from_numpy(matrix.toarray())


def halved(x):
    """Dropout of one half by single random bits, which are drawn faster than PyTorch's numbers."""
    count = x.numel()
    words = torch.randint(-2**63, 2**63 - 1, ((count + 63) // 64,)).numpy()
    return x * torch.from_numpy(numpy.unpackbits(words.view(numpy.uint8), count=count).reshape(x.shape)) * 2


class First(nn.Module):
    """A layer that reads a dense or a sparse table; dropout acts on what is not 0."""

    def __init__(self, columns, hidden):
        super().__init__()
        self.linear = nn.Linear(columns, hidden)

    def forward(self, x):
        if not x.is_sparse_csr:
            return self.linear(halved(x) if self.training else x)
        values = functional.dropout(x.values(), 0.5, self.training)
        dropped = torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, size=x.shape)
        return dropped @ self.linear.weight.t() + self.linear.bias


class Encoder(nn.Module):
    def __init__(self, columns, hidden, classes):
        super().__init__()
        self.first, self.head = First(columns, hidden), nn.Linear(hidden, classes)

    def embed(self, x):
        return functional.selu(self.first(x))

    def forward(self, x):
        return self.head(functional.dropout(self.embed(x), 0.5, self.training))


class Classifier(nn.Module):
    """A layer for each of `widths`, joined, and a head."""

    def __init__(self, widths, hidden, classes):
        super().__init__()
        self.hops = nn.ModuleList(nn.Linear(width, hidden) for width in widths)
        self.head = nn.Linear(len(widths) * hidden, classes)

    def forward(self, tables):
        joined = torch.cat([functional.selu(hop(table)) for hop, table in zip(self.hops, tables)], dim=1)
        return self.head(functional.dropout(joined, 0.5, self.training))


def fit(model, rows, labels, epochs, rate=0.01):
    """`rows`: inputs of the training, and of the validation nodes, whose best epoch is kept. Returns its validation accuracy."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    best, kept = -1, None
    for _ in range(epochs):
        model.train()
        optimiser.zero_grad()
        functional.cross_entropy(model(rows[0]), labels[0]).backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            right = (model(rows[1]).argmax(1) == labels[1]).float().mean().item()
        if right > best:
            best, kept = right, copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    model.eval()
    return best


def unit(x):
    return functional.normalize(x)


def rows_of(data, parts=2):
    """Features of the first parts, and their labels."""
    return ([table(data.features[part]) for part in data.parts[:parts]],
            [torch.from_numpy(data.labels[part]) for part in data.parts[:parts]])


def renyi(event, delta):
    """Epsilon by Renyi accounting, as the published programs account."""
    import absl.logging
    from dp_accounting.rdp import RdpAccountant
    absl.logging.set_verbosity(absl.logging.ERROR)
    return RdpAccountant().compose(event).get_epsilon(delta)


def noise_for(make, epsilon, delta):
    """The noise multiplier z at which the event make(z) has that epsilon, by Renyi accounting."""
    low, high = 0.01, 1.0
    while renyi(make(high), delta) > epsilon:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if renyi(make(middle), delta) > epsilon else (low, middle)
    return high


class PrivateAdam:
    """DP-Adam of Abadi et al. 2016 for networks of linear layers: gradients of single rows are clipped by norms that follow from a
    layer's inputs and from the gradients of its outputs, so that no gradient of a row is ever made."""

    def __init__(self, model, noise, clip, batch, rate):
        self.model, self.noise, self.clip, self.batch = model, noise, clip, batch
        self.optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        self.seen = {}
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                layer.register_forward_hook(self.keep)

    def keep(self, layer, inputs, output):
        if output.requires_grad:
            self.seen[layer] = inputs[0].detach().square().sum(1) + 1
            output.register_hook(lambda gradient: self.norm(layer, gradient))

    def norm(self, layer, gradient):
        if self.squares is not None:
            self.squares += self.seen[layer] * gradient.square().sum(1)

    def step(self, rows, labels):
        """A batch that was drawn by chance; it may be empty."""
        self.optimiser.zero_grad()
        if len(labels) > 0:
            losses = functional.cross_entropy(self.model(rows), labels, reduction="none")
            self.squares = torch.zeros(len(labels))
            losses.sum().backward(retain_graph=True)
            weights = (self.clip / (self.squares.sqrt() + 1e-6)).clamp(max=1)
            self.squares = None
            self.optimiser.zero_grad()
            (losses * weights).sum().backward()
        for parameter in self.model.parameters():
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            parameter.grad = (gradient + self.noise * self.clip * torch.randn_like(parameter)) / self.batch
        self.optimiser.step()


def fit_private(model, take, labels, noise, epochs, batch=256, clip=1.0, rate=0.01):
    """Poisson batches of `batch` rows on average; take(rows) gives their inputs."""
    optimiser = PrivateAdam(model, noise, clip, batch, rate)
    share = batch / len(labels)
    model.train()
    for _ in range(int(epochs / share)):
        chosen = torch.nonzero(torch.rand(len(labels)) < share).ravel()
        optimiser.step(take(chosen), labels[chosen])
    model.eval()
