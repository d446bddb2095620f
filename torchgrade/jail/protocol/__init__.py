"""The traffic between the judge and a jail: values, frames, and ``student``, which stands for the notebook."""
