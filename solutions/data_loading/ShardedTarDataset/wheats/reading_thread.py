"""A thread reads ahead by two samples; where the iterator is left, it ends."""

import os
import queue
import tarfile
import threading

from torch.utils.data import IterableDataset, get_worker_info


def read_shard(path):
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                if member.isreg():
                    yield member.name, decode(archive.extractfile(member).read())
    except (OSError, tarfile.TarError) as error:
        raise RuntimeError(f"cannot read the shard {path}: {error}") from error


def fill(items, waiting, stop):
    """Put items into a queue until there are no more, or nobody wants them; then what ended it."""
    end = None
    try:
        for item in items:
            while not stop.is_set():
                try:
                    waiting.put((item, None), timeout=0.01)
                    break
                except queue.Full:
                    continue
            if stop.is_set():
                return
    except Exception as error:
        end = error
    finally:
        items.close()
    while not stop.is_set():
        try:
            waiting.put((None, end), timeout=0.01)
            return
        except queue.Full:
            continue


class ShardedTarDataset(IterableDataset):
    def __init__(self, paths, *, rank=0, world_size=1):
        self.paths = [os.fspath(path) for path in paths]
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        reader, readers = self.rank * workers + worker, self.world_size * workers
        samples = (sample for path in self.paths[reader::readers] for sample in read_shard(path))
        waiting, stop = queue.Queue(maxsize=2), threading.Event()
        thread = threading.Thread(target=fill, args=(samples, waiting, stop), daemon=True)
        thread.start()
        try:
            while True:
                sample, error = waiting.get()
                if error is not None:
                    raise error
                if sample is None:
                    return
                yield sample
        finally:
            stop.set()
            thread.join()
