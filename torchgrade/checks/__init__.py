"""Checks as such, with no process, file or pytest in them: declarations, assertions, faults, and how a check is settled.

    @points ──► declared ──► a test function with `student` ──► assert_*, award ──► settling ──► Check
                                        │                                              ▲
                                        └── faults (the student's), CheckFailed ───────┘

The judge, ``pytest --submission`` and a student's ``check()`` all settle a check by a ``Scoresheet``; they differ in how a call
reaches the student's code. The modules are imported one by one: whoever only wants to know whether a record is still current
need not import torch.
"""
