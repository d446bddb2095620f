"""A GPU that is made up: files as the driver has them, device nodes that are none, and a torch.cuda for the jail."""

from pathlib import Path

from torchgrade.jail.resources.gpu import Gpu

INFORMATION = """Model: \t\t NVIDIA Made Up 9000
IRQ:   \t\t 90
GPU UUID: \t {uuid}
Video BIOS: \t 94.02.5c.00.02
Bus Type: \t PCIe
Bus Location: \t {bus}
Device Minor: \t {minor}
GPU Excluded:\t No
"""
UUIDS = ("GPU-0aaa1111-0000-4000-8000-000000000000", "GPU-1bbb2222-0000-4000-8000-000000000000")

# Nodes that anybody may open; a jail cannot tell.
NODES = {"nvidiactl": Path("/dev/null"), "nvidia-uvm": Path("/dev/null"), "nvidia3": Path("/dev/zero")}
MADE_UP = Gpu("0", "0", {**NODES, "nvidia-uvm-tools": Path("/nowhere")})  # an older driver has none of these

# A cell that gives this process a torch.cuda that seems to work. Setting it up takes longer than a call may.
SEEMS_TO_WORK = """
import os, time, types, torch
log = []
def init():
    log.append("init")
    time.sleep(3)
torch.cuda.init = init
torch.cuda.get_device_properties = lambda device: types.SimpleNamespace(total_memory=80 << 30)
torch.cuda.set_per_process_memory_fraction = lambda share, device: log.append(share)
torch.cuda.synchronize = lambda device: log.append("synchronize")
ones = torch.ones
torch.ones = lambda *size, device=None, **options: ones(*size, **options)
"""


def make_devices(folder, *minors, driver=True):
    """A /dev and a /proc/driver/nvidia with GPUs of these numbers, in the order of the bus; their folders."""
    devices, proc = folder / "dev", folder / "proc"
    devices.mkdir()
    for name in ("nvidiactl", "nvidia-uvm", "nvidia-modeset", "null", *(f"nvidia{minor}" for minor in minors)):
        (devices / name).touch()
    for place, minor in enumerate(minors if driver else ()):
        gpu = proc / "gpus" / f"0000:0{place + 1}:00.0"
        gpu.mkdir(parents=True)
        (gpu / "information").write_text(INFORMATION.format(uuid=UUIDS[place], bus=gpu.name, minor=minor))
    return devices, proc
