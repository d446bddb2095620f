"""The grammar of each command: its options, its help, and a door to the work, which is imported once the command is called."""
