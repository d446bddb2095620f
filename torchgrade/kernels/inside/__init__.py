"""Code that runs inside the jail, and nowhere else."""
