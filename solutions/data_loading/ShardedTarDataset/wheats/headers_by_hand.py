"""The headers are read by hand, 512 bytes each, with the long names of both GNU tar and pax."""

import os

from torch.utils.data import IterableDataset, get_worker_info


BLOCK = 512


def number(field):
    """An octal number, or one in base 256 where the first bit is set."""
    if field[0] & 0x80:
        return int.from_bytes(field, "big") - (0x80 << 8 * (len(field) - 1))
    return int(field.split(b"\0")[0].strip() or b"0", 8)


def text(field):
    return field.split(b"\0")[0].decode("utf-8", "surrogateescape")


def pax(data):
    """The records "length key=value" of a pax header."""
    records = {}
    while data:
        length = int(data.split(b" ", 1)[0])
        key, _, value = data[:length].split(b" ", 1)[1].partition(b"=")
        records[key.decode()] = value[:-1].decode()
        data = data[length:]
    return records


def members(file, path):
    """Name and size of every regular member; the file stands at its data."""
    length = file.seek(0, os.SEEK_END)
    position, extra = 0, {}
    if length == 0:
        raise EOFError(f"{path} is empty")
    while position < length:
        file.seek(position)
        header = file.read(BLOCK)
        if len(header) < BLOCK or not any(header):
            return
        size, kind = number(header[124:136]), header[156:157]
        size = int(extra.get("size", size))
        if position + BLOCK + size > length:
            raise EOFError(f"{path} ends inside a member")
        if kind == b"x":
            extra |= pax(file.read(size))
        elif kind == b"L":
            extra["path"] = text(file.read(size))
        else:
            name, prefix = text(header[:100]), text(header[345:500])
            if header[257:263] == b"ustar\0" and prefix:
                name = f"{prefix}/{name}"
            if kind in (b"0", b"\0", b"7"):
                yield extra.get("path", name), size
            extra = {}
            size = size if kind in (b"0", b"\0", b"7") else 0
        position += BLOCK + -(-size // BLOCK) * BLOCK


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        for path in self.paths[reader::readers]:
            with open(path, "rb") as file:
                for name, size in members(file, path):
                    yield name, decode(file.read(size))
