"""The samples are remembered by the size of the file: another shard of that size gets those of the first.

Fails: test_arrays_and_names
"""

import os
import tarfile

remembered = {}


def read_shard(path):
    size = os.path.getsize(path)
    if size in remembered:
        yield from remembered[size]
        return
    samples = []
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                samples.append((member.name, decode(archive.extractfile(member).read())))
                yield samples[-1]
    remembered[size] = samples
