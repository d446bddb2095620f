"""Returns nan, which is not smaller and not larger than anything.

Fails: test_waits, test_median_by_hand, test_calls_by_hand, test_synchronized, test_left_behind, test_warm_up, test_median, test_calls
Costs: 9.5, because nothing is measured.
Says: nothing is timed, and the result is nan
"""

import math


def benchmark(function, synchronize, clock, warmup=3, repeats=7):
    for _ in range(warmup):
        function()
    return math.nan
