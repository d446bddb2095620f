"""What a jail's processes take, and what holds them: control groups, the tree of processes, a GPU."""
