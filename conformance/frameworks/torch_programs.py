# SPDX-License-Identifier: Apache-2.0
"""Small programs for PyTorch/XLA: losses and results have to be those of PyTorch on the CPU.

FRAMEWORKS_OWN_CPU=1 runs them on PyTorch's CPU, without torch_xla.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import numpy as np
import torch
from torch import nn

from programs import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
OWN = os.environ.get("FRAMEWORKS_OWN_CPU") == "1"
if not OWN:
    import torch_xla
    import torch_xla.core.xla_model as xm


def device():
    return torch.device("cpu") if OWN else torch_xla.device()


def sync():
    if not OWN:
        torch_xla.sync()


def values(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


def host(*tensors):
    sync()
    return [t.detach().cpu().to(torch.float32 if t.dtype == torch.bfloat16 else t.dtype).numpy() for t in tensors]


def of_another_process(code, **environment):
    done = subprocess.run([sys.executable, "-c", f"import torch_xla, torch_xla.runtime\n{code}"], env=os.environ | environment,
                          capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def train(make_model, x, y, loss, steps=8, optimizer=torch.optim.SGD, **options):
    """Losses, and the parameters at the end."""
    torch.manual_seed(0)
    model = make_model().to(device())
    chosen = optimizer(model.parameters(), **options)
    x, y = x.to(device()), y.to(device())
    losses = []
    for _ in range(steps):
        chosen.zero_grad()
        value = loss(model(x), y)
        value.backward()
        chosen.step()
        sync()
        losses.append(value.item())
    assert losses[-1] < losses[0]
    return [losses, host(*model.parameters())]


def classes(n, of, seed=1):
    return torch.from_numpy(np.random.RandomState(seed).randint(0, of, n))


@program()
def device_and_arithmetic():
    x = values(4, 5).to(device())
    return host(x @ x.T + 1, torch.exp(x), x.sum(0), x > 0)


@program(1e-4)
def linear():
    return train(lambda: nn.Linear(8, 3), values(32, 8), values(32, 3, seed=1), nn.functional.mse_loss, lr=0.1)


@program(1e-3)
def mlp_with_adam():
    model = lambda: nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 4))
    return train(model, values(64, 16), classes(64, 4), nn.functional.cross_entropy, optimizer=torch.optim.Adam, lr=1e-2)


@program(2e-3)
def convnet_with_batch_norm():
    model = lambda: nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(8, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return train(model, values(16, 3, 12, 12), classes(16, 5), nn.functional.cross_entropy, lr=0.1)


@program(2e-3)
def transformer_encoder():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
            self.head = nn.Linear(32, 3)

        def forward(self, x):
            return self.head(self.encoder(x).mean(1))

    return train(Model, values(8, 10, 32), classes(8, 3), nn.functional.cross_entropy, lr=0.1)


@program(1e-3)
def lstm():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(6, 12, batch_first=True)
            self.head = nn.Linear(12, 2)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return train(Model, values(8, 7, 6), classes(8, 2), nn.functional.cross_entropy, lr=0.5)


@program()
def dropout():
    torch.manual_seed(0)
    x = torch.ones(1000, device=device())
    y = nn.functional.dropout(x, 0.25)
    kept = y[y != 0].cpu()
    assert 650 < len(kept) < 850, len(kept)
    return [kept.min().item(), kept.max().item()]


@program(1e-4)
def embedding():
    model = lambda: nn.Sequential(nn.Embedding(11, 8), nn.Flatten(), nn.Linear(24, 4))
    return train(model, classes(20 * 3, 11).reshape(20, 3), classes(20, 4), nn.functional.cross_entropy, lr=0.3)


@program()
def sort_and_topk():
    x = values(6, 20).to(device())
    return host(*torch.sort(x, dim=1), *torch.topk(x, 5), torch.argmax(x, 0), torch.unique(x > 0))


@program(1e-4)
def linear_algebra():
    a = values(6, 6).to(device())
    positive = a @ a.T + 6 * torch.eye(6, device=device())
    q, r = torch.linalg.qr(a)
    return host(torch.linalg.cholesky(positive), torch.linalg.inv(positive), q @ r, torch.linalg.svdvals(a),
                torch.linalg.solve(positive, a[:, :2]))


@program(1e-2)
def bfloat16():
    x = values(8, 8).to(device()).to(torch.bfloat16)
    return host(x @ x, torch.tanh(x), x.sum(0))


@program()
def indexed_assignment():
    x = values(6, 5).to(device())
    x[2] = 1.0
    x[:, 1] += 2
    x[torch.tensor([0, 3], device=device()), torch.tensor([4, 0], device=device())] = -1
    x[x > 1.5] = 0
    return host(x, x[torch.tensor([5, 0, 5], device=device())], torch.where(x > 0, x, -x))


@program()
def sixty_four_bits():
    x = values(5).to(device()).double()
    return host(torch.exp(x), torch.arange(4, device=device()) + 2**40)


@program()
def dynamic_sizes():
    x = torch.tensor([0, 3, 0, 5], device=device())
    return host(torch.nonzero(x), torch.masked_select(x, x > 2))


@program()
def scan():
    if OWN:
        total, sums = torch.zeros(4), []
        for row in values(5, 4):
            total = total * 0.5 + row
            sums.append(total * 2)
        return host(total, torch.stack(sums))
    from torch_xla.experimental.scan import scan as xla_scan

    def step(carry, row):
        carry = carry * 0.5 + row
        return carry, carry * 2

    return host(*xla_scan(step, torch.zeros(4, device=device()), values(5, 4).to(device())))


@program(1e-4)
def torch_compile():
    def function(x, w):
        return torch.tanh(x @ w).sum(1)

    x, w = values(4, 6).to(device()), values(6, 3).to(device())
    compiled = function if OWN else torch.compile(function, backend="openxla")
    return host(compiled(x, w), compiled(x + 1, w))


@program(1e-4)
def torch_xla_compile():
    model = nn.Linear(6, 2)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(values(*p.shape))
    model = model.to(device())

    def step(x):
        return model(x).relu()

    step = step if OWN else torch_xla.compile(step)
    return host(step(values(4, 6).to(device())))


@program(1e-4)
def gradients_of_inputs():
    x = values(5, 4).to(device()).requires_grad_()
    (torch.softmax(x, 1).log() * x).sum().backward()
    return host(x.grad)


@program()
def memory_info():
    if OWN:
        return True
    x = values(1000).to(device())
    sync()
    info = xm.get_memory_info(device())
    assert info["bytes_limit"] > info["bytes_used"] >= 0 and x is not None, info
    return True


@program()
def client_options():
    """Those of PLINTH_CLIENT_OPTIONS, which the package hands over; what it cannot read, and what the plugin does not know, is named."""
    if os.environ.get("PJRT_DEVICE") != "PLINTH":
        return True

    def devices(options):
        return of_another_process("torch_xla.device(); print('devices:', torch_xla.runtime.global_runtime_device_count())",
                                  PLINTH_CLIENT_OPTIONS=options)

    assert "devices: 3" in (out := devices("num_devices=3;num_threads=1")), out[-500:]
    assert 'the option "num_devices" is not of the form name=value' in (out := devices("num_devices")), out[-500:]
    assert "num_device" in (out := devices("num_device=3")) and "devices: " not in out, out[-500:]
    return True


@program()
def without_the_package():
    """PyTorch/XLA itself says what is missing."""
    if os.environ.get("PJRT_DEVICE") != "PLINTH":
        return True
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    without = os.pathsep.join(path for path in paths if not os.path.isdir(f"{path}/plinth_pjrt"))
    out = of_another_process("torch_xla.device()", PYTHONPATH=without)
    assert "No PjRtPlugin registered for: PLINTH" in out or "Unknown PJRT_DEVICE 'PLINTH'" in out, out[-500:]
    return True


@program()
def profiler():
    """The plugin has none: a trace is without its part, and nothing else happens."""
    x = values(4, 4).to(device())
    if OWN:
        return host(x @ x)
    import torch_xla.debug.profiler as xp

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = xp.start_server(port)
    with xp.StepTrace("step"), xp.Trace("product"):
        y = x @ x
    assert server is not None
    return host(y)


@program(alone=True)  # of the process there is one peak
def donation():
    """A step has its parameter in memory once. StableHLO as PyTorch/XLA writes it says nothing of donations."""
    if OWN:
        return True
    p = torch.ones(16 << 20, device=device())
    for _ in range(3):
        p.mul_(0.5).add_(1)
        sync()
    assert p[0].item() == 1.875
    copies = 2 if os.environ.get("XLA_STABLEHLO_COMPILE") == "1" else 1
    peak = xm.get_memory_info(device())["peak_bytes_used"]
    assert peak < (copies + 0.5) * p.nbytes, f"{peak} bytes for a parameter of {p.nbytes}"
    return True


@program()
def dlpack():
    if OWN:
        return [values(4).numpy()]
    from torch_xla.utils import dlpack as xla_dlpack

    x = values(4).to(device())
    sync()
    return [torch.from_dlpack(xla_dlpack.to_dlpack(x)).cpu().numpy()]


@program(0.05)
def demo_training():
    """The network of scripts/demo in PyTorch, two epochs; accuracy: on the images that it did not see."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(0).permutation(len(digits.target))
    images = torch.from_numpy((digits.images[order, None] / 16.0).astype(np.float32))
    labels = torch.from_numpy(digits.target[order].astype(np.int64))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
                          nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10)).to(device())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        order = np.random.RandomState(epoch + 1).permutation(len(labels) - 360)
        for begin in range(0, len(order) - 63, 64):
            batch = order[begin:begin + 64] + 360
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images[batch].to(device())), labels[batch].to(device()))
            loss.backward()
            optimizer.step()
            sync()
    with torch.no_grad():
        right = (model(images[:360].to(device())).argmax(1).cpu() == labels[:360]).float().mean().item()
    return {"loss": loss.item(), "accuracy": right}


@program(1e-4, alone=True)  # a process stays in this mode
def spmd():
    x, w = values(8, 6), values(6, 4, seed=1)
    if OWN:
        return host((x @ w).relu())
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    n = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(n), (n, 1), ("x", "y"))
    x, w = x.to(device()), w.to(device())
    xs.mark_sharding(x, mesh, ("x", None))
    return host((x @ w).relu())


@program(1e-4, alone=True)
def spmd_training():
    """Rows of the batch and of a weight are spread; the weight has to stay where it is."""
    x, y = values(16, 8), values(16, 4, seed=1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 4))
    if not OWN:
        import torch_xla.distributed.spmd as xs
        import torch_xla.runtime as xr

        xr.use_spmd()
        n = xr.global_runtime_device_count()
        mesh = xs.Mesh(np.arange(n), (n, 1), ("x", "y"))
        x, y = x.to(device()), y.to(device())
        xs.mark_sharding(x, mesh, ("x", None))
        model = model.to(device())
        xs.mark_sharding(model[0].weight, mesh, ("x", None))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        sync()
        losses.append(loss.item())
    if not OWN:
        assert "devices=[" in torch_xla._XLAC._get_xla_sharding_spec(model[0].weight)
    return [losses, host(*model.parameters())]
