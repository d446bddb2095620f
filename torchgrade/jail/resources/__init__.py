"""The resources of a jail's processes, and what limits them: control groups, the tree of processes, a GPU."""
