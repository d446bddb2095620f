"""The course's graders: one package an assignment, with hidden checks, public checks and probes."""
