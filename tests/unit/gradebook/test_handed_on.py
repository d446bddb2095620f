"""What a converter hands on reaches nbgrader's steps, and what they say comes back."""

from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_notebook

from torchgrade.gradebook.nbgrader_course import HandedOn, handed_on


class Says(Preprocessor):
    def preprocess(self, nb, resources):
        handed_on(resources).problems.append(f"{handed_on(resources).executed['sums']}")
        return nb, resources


def test_a_step_sees_it_through_nbconvert_and_its_words_come_back():
    known = HandedOn(executed={"sums": "as it ran"})
    exporter = NotebookExporter()
    exporter.register_preprocessor(Says, enabled=True)
    exporter.from_notebook_node(new_notebook(), known.put_into({"unique_key": "sums"}))
    assert known.problems == ["as it ran"]


def test_nbgraders_own_commands_hand_nothing_on():
    assert handed_on({"nbgrader": {}}) == HandedOn()
