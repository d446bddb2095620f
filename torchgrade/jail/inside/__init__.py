"""Code that runs inside the jail. Nothing here is trusted once a student's cell has run, and nothing here is secret.

warm        imports torch and waits; forks a session when the judge asks
└── keeper    first process of the session's own namespaces: reaps, looks, ends everything with itself
    └── notebook    gives up every privilege, then runs the notebook's cells, once
        ├── check 1    a fork of notebook: answers the judge's calls over a wire of its own
        └── check 2    ...
"""
