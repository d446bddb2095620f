"""All code that relies on internals of other packages: names that begin with ``_``, and globals replaced at run time.

A file for each package, so that none is imported for another's sake. Everything here has a test of its own that fails when the
other package moves, and pyproject.toml bounds each from above. What the packages offer to everybody is used where it is needed.
"""
