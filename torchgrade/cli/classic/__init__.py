"""The commands in a course whose tests stand in the notebooks' own cells."""
