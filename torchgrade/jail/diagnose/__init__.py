"""What this machine can do, tried: ``torchgrade doctor``, and attacks on its own jail. Nothing here decides a mark."""
