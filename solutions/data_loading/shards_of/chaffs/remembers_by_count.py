"""The answer is remembered by the number of paths: another list of that length gets the paths of the first.

Fails: test_uneven
"""

remembered = {}


def shards_of(paths, reader, readers):
    return remembered.setdefault((len(paths), reader, readers), list(paths[reader::readers]))
