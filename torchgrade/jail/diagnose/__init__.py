"""What this machine can do, found out by trying: ``torchgrade doctor``, and attacks on its own jail. No mark depends on it."""
