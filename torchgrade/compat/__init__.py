"""All code that relies on internals of other packages: names that begin with ``_``, and globals replaced at run time.

There is one file for each package, so that none is imported for the sake of another. Everything here has a test of its own that
fails if the other package changes, and pyproject.toml sets an upper bound for each. What the packages offer publicly is used
wherever it is needed.
"""
