"""Frames that are no frames are errors, and are refused before anything is allocated for them."""

import json
import os
import socket
import struct
from pathlib import Path

import pytest
import torch

from torchgrade.jail.protocol.values import WireError
from torchgrade.jail.protocol.wire import Closed, Wire, pair


@pytest.fixture
def ends():
    ours, theirs = pair()
    ours.settimeout(2)
    wire = Wire(ours)
    yield wire, theirs
    wire.close()
    theirs.close()


def inline(text, rest=b""):
    return b"I" + struct.pack(">I", len(text)) + text + rest


def tensors(header, data=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize(
    "packet",
    [
        b"X",
        b"I",
        b"I\0\0",
        inline(b"[1]"),
        inline(b"{"),
        inline(b"\xff\xfe"),
        inline(b"[" * 30_000),
        b"I" + struct.pack(">I", 1 << 31) + b"{}",
        b"M" + struct.pack(">Q", 10),
        b"M" + struct.pack(">Q", 1 << 60),
        inline(b"{}", b"garbage"),
        inline(b"{}", struct.pack("<Q", 1 << 60)),
        inline(b"{}", tensors({"0": {"dtype": "F32", "shape": [1 << 40, 1 << 40], "data_offsets": [0, 0]}})),
        inline(b"{}", tensors({"0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, b"1234")),
        inline(b"{}", tensors({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, b"1234")),
        inline(b"{}", tensors({"0": {"dtype": "F32", "shape": [1] * 100, "data_offsets": [0, 4]}}, b"1234")),
        inline(b"{}", tensors({"0": {"dtype": "F32", "shape": [0, 1 << 62, 1 << 62], "data_offsets": [0, 0]}})),
    ],
    ids=range(17),
)
def test_a_malformed_packet_is_an_error(ends, packet):
    wire, theirs = ends
    theirs.send(packet)
    with pytest.raises(WireError):
        wire.receive(at_most=1 << 20)


def test_an_end_that_closes_is_said_to_be_closed(ends):
    wire, theirs = ends
    theirs.close()
    with pytest.raises(Closed):
        wire.receive(at_most=1 << 20)
    with pytest.raises(Closed):
        wire.send({}, [])


def send_descriptor(sock, size, descriptor):
    socket.send_fds(sock, [b"M" + struct.pack(">Q", size)], [descriptor])


def test_a_descriptor_that_is_no_file_is_refused_without_waiting(ends):
    wire, theirs = ends
    read, write = os.pipe()
    send_descriptor(theirs, 10, read)
    with pytest.raises(WireError, match="does not hold"):
        wire.receive(at_most=1 << 20)
    os.close(read)
    os.close(write)


def test_a_memory_file_that_is_shorter_than_it_claims_is_refused(ends):
    wire, theirs = ends
    descriptor = os.memfd_create("short")
    os.write(descriptor, b"1234")
    send_descriptor(theirs, 100, descriptor)
    os.close(descriptor)
    with pytest.raises(WireError):
        wire.receive(at_most=1 << 20)


def test_an_answer_over_the_limit_is_refused_before_it_is_read(ends):
    wire, theirs = ends
    Wire(theirs).send({}, [torch.zeros(1 << 18)])
    with pytest.raises(WireError, match="at most 1000"):
        wire.receive(at_most=1000)


def test_descriptors_that_were_sent_along_are_closed(ends):
    wire, theirs = ends
    before = len(list(Path("/proc/self/fd").iterdir()))
    read, write = os.pipe()
    socket.send_fds(theirs, [inline(b"{}")], [read, write])
    os.close(read)
    os.close(write)
    with pytest.raises(WireError):
        wire.receive(at_most=1 << 20)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_what_is_written_to_the_memory_after_it_was_read_is_not_seen(ends):
    wire, theirs = ends
    other = Wire(theirs)
    other.send({"n": 1}, [torch.zeros(1 << 16)])
    _, (got,) = wire.receive(at_most=1 << 30)
    os.pwrite(other._outbox, b"\xff" * 1000, 500)
    assert got.eq(0).all()


def test_the_kernel_names_the_sender(ends):
    wire, theirs = ends
    wire.ask_for_peer()
    Wire(theirs).send({}, [])
    wire.receive(at_most=1000)
    assert wire.peer == os.getpid()
