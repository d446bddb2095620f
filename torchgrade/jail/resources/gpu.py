"""Which GPU a jail gets, and what the jail needs of the machine for it. Files are read; CUDA is not touched.

    /dev, /proc/driver/nvidia, CUDA_VISIBLE_DEVICES ──► Gpu ──► jail: its device nodes, the driver's folders, the environment
                                                         └───► this process: CUDA_VISIBLE_DEVICES, so that both use the same one

NVIDIA's devices are counted in the order of their places on the bus, as ``nvidia-smi`` counts them. Slices of a GPU (MIG) and
other makers' devices are not known here: if there is nothing else, there is no GPU.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

_DEVICES = Path("/dev")
_DRIVER = Path("/proc/driver/nvidia")
# Where the driver's libraries are if the loader's cache does not know them: containers on Kubernetes, WSL, NixOS.
_LIBRARIES = ("/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", "/run/opengl-driver/lib")
# The control node, and those of unified memory; drivers from 570 on want the last one too.
_COMMON_NODES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
_SMI_SECONDS = 20.0
_MOST_JUDGES = 256
_claims: list[socket.socket] = []


@dataclasses.dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU of this machine.

    ``name`` is what ``CUDA_VISIBLE_DEVICES`` calls it here, ``inside`` what it is called in a jail in which it is the only one.
    ``nodes`` maps names below the jail's ``/dev`` to nodes of this machine, as far as these exist when the jail starts: the
    driver makes some of them when CUDA is first used. ``libraries`` are folders that hold the driver's library and that the
    loader does not know by itself.
    """

    name: str
    inside: str
    nodes: Mapping[str, Path]
    libraries: tuple[Path, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """Return what a jail with this GPU has in its environment.

        ``torch.cuda.is_available()`` is to ask the driver's library, and not to set up CUDA: a process that has done that cannot
        be forked. Nothing is written to a cache of compiled kernels, which the keeper would find between two checks.
        """
        found = {
            "CUDA_VISIBLE_DEVICES": self.inside,
            "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
            "CUDA_CACHE_DISABLE": "1",
            "USE_PYTORCH_KERNEL_CACHE": "0",
            "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
        }
        if self.libraries:
            found["LD_LIBRARY_PATH"] = ":".join(map(str, self.libraries))
        return found


def list_gpus() -> list[Gpu]:
    """The GPUs that this process may use: all, or those that ``CUDA_VISIBLE_DEVICES`` names, in its order."""
    libraries = _libraries()
    asked = os.environ.get("CUDA_VISIBLE_DEVICES")
    if not (_DEVICES / "nvidiactl").exists():
        if not (_DEVICES / "dxg").exists() or asked in ("", "-1"):
            return []
        return [Gpu(asked or "0", asked or "0", {"dxg": _DEVICES / "dxg"}, libraries)]  # WSL: one node for all
    common = {name: _DEVICES / name for name in _COMMON_NODES}
    there = []
    for index, (minor, identifier) in enumerate(_minors()):
        node = {f"nvidia{minor}": _DEVICES / f"nvidia{minor}"}
        there.append(Gpu(identifier or str(index), identifier or "0", common | node, libraries))
    return there if asked is None else _asked_for(there, asked)


def _minors() -> list[tuple[int, str]]:
    """The number of each GPU's node and the GPU's identifier (or an empty string), in the order of the bus."""
    nodes = {int(found[1]) for path in _DEVICES.iterdir() if (found := re.fullmatch(r"nvidia(\d+)", path.name))}
    known = []
    for path in sorted(_DRIVER.glob("gpus/*/information")):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
        if told.get("Device Minor", "").isdigit() and int(told["Device Minor"]) in nodes:
            identifier = told.get("GPU UUID", "")
            known.append((int(told["Device Minor"]), identifier if re.fullmatch(r"GPU-[0-9a-f-]+", identifier) else ""))
    return known or [(number, "") for number in sorted(nodes)]


def _asked_for(there: list[Gpu], asked: str) -> list[Gpu]:
    """Return the GPUs that a value of ``CUDA_VISIBLE_DEVICES`` names, up to the first that does not exist, as CUDA reads it."""
    chosen: list[Gpu] = []
    for word in (word.strip() for word in asked.split(",")):
        if word.isdigit():
            found = there[int(word) : int(word) + 1]
        else:
            found = [gpu for gpu in there if word.startswith("GPU-") and gpu.name.startswith(word)][:1]
        if not found:
            break
        chosen += found
    return chosen


def _libraries() -> tuple[Path, ...]:
    folders = [*os.environ.get("LD_LIBRARY_PATH", "").split(":"), *_LIBRARIES]
    return tuple(Path(folder) for folder in dict.fromkeys(folders) if folder and (Path(folder) / "libcuda.so.1").exists())


def choose_gpu() -> Gpu | None:
    """The GPU of this process, and of the jail that it makes, from now on: the one that the fewest other judges have.

    ``CUDA_VISIBLE_DEVICES`` then names only this one. Call it before anything uses CUDA. ``None`` if there is no GPU to use.
    """
    gpus = list_gpus()
    chosen = gpus[:1]
    if len(gpus) > 1:
        claimed = (gpu for share in range(_MOST_JUDGES) for gpu in gpus if _claim(gpu, share))
        chosen = [next(claimed, gpus[0])]
    for gpu in chosen:
        os.environ |= {"CUDA_VISIBLE_DEVICES": gpu.name, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
        return gpu
    return None


def _claim(gpu: Gpu, share: int) -> bool:
    """Return whether this process has this share of a GPU: a name that the kernel gives to only one process, until it ends."""
    which = hashlib.sha256(repr(sorted(map(str, gpu.nodes.values()))).encode()).hexdigest()[:16]
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0torchgrade-{os.getuid()}-gpu-{which}-{share}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def driver_version() -> str:
    """The version of NVIDIA's driver, as in ``560.35.03``; an empty string if it cannot be found out."""
    try:
        text = (_DRIVER / "version").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = _nvidia_smi("--query-gpu=driver_version", "--format=csv,noheader")
    found = re.search(r"\b\d{3,}\.\d+(?:\.\d+)?\b", text)
    return found[0] if found else ""


def _nvidia_smi(*arguments: str) -> str:
    if (program := shutil.which("nvidia-smi")) is None:
        return ""
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=_SMI_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
