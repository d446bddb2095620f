"""What runs inside the jail, and nowhere else."""
