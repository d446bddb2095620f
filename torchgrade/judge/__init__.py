"""Grading one submission: the plan of its checks, the pytest plugin that asks them, races, and the judge."""
