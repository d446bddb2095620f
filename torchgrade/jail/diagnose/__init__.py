"""The capabilities of this machine, tried: ``torchgrade doctor``, and attacks on its own jail. Nothing here decides a mark."""
