"""Checks by themselves, without processes, files or pytest: declarations, assertions, faults, and how a check is settled.

    @points ──► declared ──► a test function with `student` ──► assert_*, award ──► settling ──► Check
                                        │                                              ▲
                                        └── faults (the student's), CheckFailed ───────┘

The judge, ``pytest --submission`` and a student's ``check()`` all settle a check with a ``Scoresheet``; they differ in how a call
reaches the student's code. Import the modules one by one: finding out whether a record is still current must not import torch.
"""
