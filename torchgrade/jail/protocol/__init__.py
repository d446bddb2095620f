"""The traffic between the judge and a jail: values, frames, and ``student``, who stands for the notebook."""
