"""What can be wrong with a notebook."""


class NotebookError(Exception):
    """One line: what is wrong with the file, for whoever handed it in and for the instructor."""
