"""Jupyter kernels behind the wall: any program that starts a kernel through jupyter_client can have it in the jail.

    nbclient, papermill, nbval, nbgrader ── jupyter_client ──► JailProvisioner: which kernel, which files, which limits
                     │                                              │ the notebook's folder, file by file, read-only
                     └──── five Unix sockets in one folder ────► jail: a warm launcher forks the kernel, and watches it

A kernel's command line and its working folder go in; signed messages of the Jupyter protocol, which are data, come out.
It is chosen by ``JUPYTER_DEFAULT_PROVISIONER_NAME=torchgrade-jail``, or by a kernel's specification (docs/classic.md).
"""
