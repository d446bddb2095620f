"""The wire: whole messages over a socket pair, JSON for structure and safetensors for tensors, nothing that runs.

    body   = length of the JSON (4 bytes) · JSON · safetensors
    packet = b"I" · body                         when that fits into one packet
           | b"M" · length of the body (8 bytes)   with a descriptor of a memfd that holds it

One packet is one message (SOCK_SEQPACKET), so a reader never waits for the rest of a message. The receiver of a memfd copies it
once with ``pread`` and closes it: whatever the sender writes to it later is never seen, and there is no mapping that a sender
could cut short. All sizes are checked before anything is allocated or parsed. Each end writes its large messages to one memfd of
its own (fresh pages cost more than the copy: 0.37 ms a megabyte against 0.06 ms); a wire is never used for two submissions.
"""

from __future__ import annotations

import array
import json
import os
import socket
import stat
import struct
from typing import Any

import torch
from safetensors import SafetensorError, deserialize

from torchgrade.jail.protocol.values import MAX_RANK, MAX_SIZE, WireError

PACKET = 60_000
"""The most bytes of a body that travels inside its packet; socket buffers hold at least three of them."""
KEPT = 8_000_000
"""The most bytes for which an outbox is kept for the next message."""
MAX_JSON = 16_000_000
MAX_VALUES = 1_000_000
"""The most values in the JSON, by its commas and brackets; each takes up to 100 bytes of memory, however few in the message."""
MAX_TENSORS = 4096
MAX_HEADER = 4_000_000
"""The most bytes for the description of a message's tensors."""

_NAMES = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.uint16: "U16",
    torch.int16: "I16",
    torch.uint32: "U32",
    torch.int32: "I32",
    torch.uint64: "U64",
    torch.int64: "I64",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float32: "F32",
    torch.float64: "F64",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2",
}
_EXTRA = socket.CMSG_SPACE(4 * array.array("i").itemsize) + socket.CMSG_SPACE(struct.calcsize("3i"))
_NUMPY = {torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool}
_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


class Closed(Exception):
    """The other end is gone."""


class Wire:
    """One end of a wire."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.peer: int | None = None
        """The process that sent the last message, as the kernel says, once :meth:`ask_for_peer` was called."""
        self._outbox: int | None = None

    def close(self) -> None:
        """Close this end."""
        self.sock.close()
        self._drop_outbox()

    def send(self, message: dict[str, Any], tensors: list[torch.Tensor]) -> None:
        """Send one message. ``tensors`` are dense, contiguous and on the CPU. Raises :class:`Closed`, ``TimeoutError``."""
        text = _to_json(message).encode("utf-8", "surrogatepass")
        parts: list[Any] = [struct.pack(">I", len(text)), text, *_pack(tensors)]
        size = sum(len(part) for part in parts)
        try:
            if size <= PACKET:
                self.sock.sendmsg([b"I", *parts])
                return
            rights = array.array("i", [self._write_outbox(parts)])
            self.sock.sendmsg([b"M", struct.pack(">Q", size)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except ConnectionError as error:
            raise Closed from error
        if size > KEPT:
            self._drop_outbox()

    def ask_for_peer(self) -> None:
        """Have the kernel name the sender of each message from now on."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)

    def receive(self, *, at_most: int) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """The next message, of at most ``at_most`` bytes.

        Raises :class:`Closed`, ``TimeoutError`` (the socket's), or :class:`WireError` for anything malformed.
        """
        return _parse(self._receive_body(at_most))

    def _receive_body(self, at_most: int) -> bytes:
        try:
            packet, extra, flags, _ = self.sock.recvmsg(PACKET + 1, _EXTRA)
        except ConnectionError as error:
            raise Closed from error
        descriptors = self._take_extra(extra)
        return _take_body(packet, flags, descriptors, at_most)

    def _take_extra(self, extra: list[tuple[int, int, bytes]]) -> list[int]:
        found: list[int] = []
        for level, kind, data in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
                found.extend(numbers)
            elif level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self.peer = struct.unpack("3i", data)[0]
        return found

    def _write_outbox(self, parts: list[Any]) -> int:
        if self._outbox is None:
            self._outbox = os.memfd_create("message", os.MFD_CLOEXEC)
        position = 0
        while parts:
            written = os.pwritev(self._outbox, parts[:512], position)
            position += written
            while parts and written >= len(parts[0]):
                written -= len(parts.pop(0))
            if written:
                parts[0] = memoryview(parts[0])[written:]
        return self._outbox

    def _drop_outbox(self) -> None:
        if self._outbox is not None:
            os.close(self._outbox)
            self._outbox = None


def pair() -> tuple[socket.socket, socket.socket]:
    """The two ends of a wire."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)


def _pack(tensors: list[torch.Tensor]) -> list[Any]:
    """The safetensors form of the tensors, named by number, without copying them into one piece.

    It is written here because the library's ``serialize`` copies a megabyte twice (1.0 ms against 0.4 ms); for reading, which
    meets a student's bytes, the library is used. Format: github.com/huggingface/safetensors, "Format".
    """
    if not tensors:
        return []
    header: dict[str, Any] = {}
    parts: list[Any] = []
    start = 0
    for number, tensor in enumerate(tensors):
        if tensor.dtype not in _NAMES:
            raise WireError(f"a tensor of dtype {tensor.dtype}")
        part = _bytes_of(tensor)
        header[str(number)] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, start + len(part)],
        }
        start += len(part)
        parts.append(part)
    text = _to_json(header).encode()
    text += b" " * (-len(text) % 8)
    return [struct.pack("<Q", len(text)), text, *parts]


def _bytes_of(tensor: torch.Tensor) -> Any:
    if tensor.numel() == 0:
        return b""
    if tensor.dtype in _NUMPY:  # numpy shares the memory as it is; it does not know the other dtypes
        return tensor.numpy().reshape(-1).view("uint8").data
    return tensor.reshape(-1).view(torch.uint8).numpy().data


def _parse(body: bytes) -> tuple[dict[str, Any], list[torch.Tensor]]:
    if len(body) < 4:  # noqa: PLR2004 - the JSON's length
        raise WireError("a message without a header")
    (length,) = struct.unpack_from(">I", body)
    if length > min(MAX_JSON, len(body) - 4):
        raise WireError("a message that is cut off")
    text = body[4 : 4 + length]
    if sum(map(text.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise WireError(f"a message of more than {MAX_VALUES} values")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("a message that is no JSON") from error
    if not isinstance(message, dict):
        raise WireError("a message that is no object")
    return message, _unpack(body[4 + length :])


def _take_body(packet: bytes, flags: int, descriptors: list[int], at_most: int) -> bytes:
    try:
        if not packet:
            raise Closed
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise WireError("a packet that is too long")
        if packet[:1] == b"I" and not descriptors:
            return packet[1:]
        if packet[:1] == b"M" and len(packet) == 9 and len(descriptors) == 1:  # noqa: PLR2004 - kind and length
            return _read_memory(descriptors[0], struct.unpack(">Q", packet[1:])[0], at_most)
        raise WireError("a packet of an unknown kind")
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _read_memory(descriptor: int, size: int, at_most: int) -> bytes:
    if size > at_most:
        raise WireError(f"{size} bytes; at most {at_most} are allowed")
    status = os.fstat(descriptor)
    # Only a regular file in memory is read: a pipe, a socket or a device could make the reader wait for ever.
    if not stat.S_ISREG(status.st_mode) or status.st_size < size:
        raise WireError("a descriptor that does not hold the message")
    chunks: list[bytes] = []
    position = 0
    while position < size:
        chunk = os.pread(descriptor, size - position, position)
        if not chunk:
            raise WireError("a message that is cut off")
        chunks.append(chunk)
        position += len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _unpack(data: bytes) -> list[torch.Tensor]:
    if not data:
        return []
    if len(data) < 8 or struct.unpack_from("<Q", data)[0] > MAX_HEADER:  # noqa: PLR2004 - the header's length
        raise WireError("malformed tensors")
    try:
        entries = dict(deserialize(data))
    except (SafetensorError, ValueError, OverflowError) as error:
        raise WireError(f"malformed tensors ({error})"[:200]) from error
    if len(entries) > MAX_TENSORS or set(entries) != {str(number) for number in range(len(entries))}:
        raise WireError("tensors that are not numbered")
    return [_tensor(entries[str(number)]) for number in range(len(entries))]


def _tensor(entry: dict[str, Any]) -> torch.Tensor:
    dtype, shape, data = _DTYPES.get(entry["dtype"]), entry["shape"], entry["data"]
    if dtype is None:
        raise WireError(f"a tensor of dtype {entry['dtype']}")
    if any(size > MAX_SIZE for size in shape):
        raise WireError(f"a tensor with a dimension of {max(shape)}")
    if len(shape) > MAX_RANK:
        raise WireError(f"a tensor of rank {len(shape)}; at most {MAX_RANK} are allowed")
    try:
        # The library has checked that shape and bytes agree; an empty tensor may still claim an absurd size.
        flat = torch.frombuffer(data, dtype=dtype) if len(data) else torch.empty(0, dtype=dtype)
        return flat.reshape(shape)
    except (RuntimeError, ValueError, TypeError) as error:
        raise WireError("a tensor whose shape is impossible") from error
