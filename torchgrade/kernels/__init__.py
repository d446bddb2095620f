"""Jupyter kernels behind the wall: whoever starts a kernel through jupyter_client can have it in the jail.

    nbclient, papermill, nbval, nbgrader ── jupyter_client ──► JailProvisioner: which kernel, which files, which limits
                     │                                              │ the notebook's folder, file by file, read-only
                     └──── five Unix sockets in one folder ────► jail: a warm launcher forks the kernel, and watches it

In go a kernel's command line and its working folder; out come signed messages of the Jupyter protocol, which are data.
``JUPYTER_DEFAULT_PROVISIONER_NAME=torchgrade-jail`` asks for it, or a kernel's specification does (docs/classic.md).
"""
