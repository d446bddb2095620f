"""What a notebook may hold, and what happens to what it may not."""

import json
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from torchgrade.notebook import NotebookError, parse_notebook


def as_bytes(**changes):
    """A notebook of one code cell, with these keys of the JSON changed (None takes a key away)."""
    document = json.loads(nbformat.writes(new_notebook(cells=[new_code_cell("x = 1", id="one")])))
    document.update(changes)
    return json.dumps({key: value for key, value in document.items() if value is not None}).encode()


def cell(**changes):
    return {
        "cell_type": "code",
        "id": "one",
        "metadata": {},
        "source": "x = 1",
        "outputs": [],
        "execution_count": None,
        **changes,
    }


def refusal(data, **limits):
    with pytest.raises(NotebookError) as caught:
        parse_notebook(data, "a.ipynb", **limits)
    message = str(caught.value)
    assert message.startswith("a.ipynb")
    assert message.isprintable()
    assert len(message) < 300
    return message


def test_a_notebook_is_read():
    assert parse_notebook(as_bytes(), "a.ipynb").cells[0].source == "x = 1"


def test_a_byte_order_mark_does_no_harm():
    assert parse_notebook(b"\xef\xbb\xbf" + as_bytes(), "a.ipynb").cells[0].source == "x = 1"


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_an_empty_file_is_refused(data):
    assert "empty" in refusal(data)


def test_text_that_is_not_utf_8_is_refused():
    assert "UTF-8" in refusal(as_bytes().replace(b"x = 1", b"x = '\xe9'"))


@pytest.mark.parametrize("data", [b"hello", b"{", b"\x00\x01", b'{"nbformat": ' + b"1" * 5000 + b"}"])
def test_what_is_not_json_is_refused(data):
    assert "not JSON" in refusal(data)


@pytest.mark.parametrize("data", [b"[]", b"3", b'"text"', b"null"])
def test_json_that_is_not_an_object_is_refused(data):
    assert "not a notebook" in refusal(data)


@pytest.mark.parametrize("number", [None, "4", 4.0, True, [4], {}])
def test_an_object_without_a_format_number_is_refused(number):
    assert "nbformat" in refusal(as_bytes(nbformat=number))


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 5, 10**100])
def test_a_format_other_than_3_and_4_is_refused(number):
    assert "format" in refusal(as_bytes(nbformat=number))


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [500, 100_000])
def test_deeply_nested_json_is_refused(opening, depth):
    closing = b"]" if opening == b"[" else b"}"
    nested = opening * depth + b"1" + closing * depth
    refusal(as_bytes().replace(b'"metadata": {}', b'"metadata": {"deep": ' + nested + b"}", 1))


def test_json_of_a_plots_depth_is_read():
    nested = {}
    for _ in range(40):
        nested = {"children": [nested]}
    assert parse_notebook(as_bytes(metadata=nested), "a.ipynb")


@pytest.mark.parametrize(
    "cells",
    [None, 3, "text", {}, [3], [None], [[]], [{}], [{"cell_type": "code"}], [cell(cell_type="virus")], [cell(source=3)],
     [cell(source=[3])], [cell(source=None)], [cell(metadata=[])], [cell(metadata=None)], [cell(cell_type=["code"])]],
)  # fmt: skip
def test_cells_that_are_none_are_refused(cells):
    refusal(as_bytes(cells=cells))


@pytest.mark.parametrize("metadata", [3, [], "text"])
def test_metadata_that_are_no_object_are_refused(metadata):
    refusal(as_bytes(metadata=metadata))


def test_too_many_cells_are_refused():
    notebook = new_notebook(cells=[new_markdown_cell("") for _ in range(2001)])
    assert "2000" in refusal(nbformat.writes(notebook).encode())


def test_a_limit_of_cells_can_be_given():
    notebook = new_notebook(cells=[new_markdown_cell("") for _ in range(4)])
    assert "4 cells" in refusal(nbformat.writes(notebook).encode(), max_cells=3)


def test_too_many_bytes_are_refused():
    assert "MB" in refusal(as_bytes(), max_bytes=10)


def test_too_much_text_in_the_cells_is_refused():
    assert "characters" in refusal(as_bytes(cells=[cell(source="x" * 5_000_000)]))


def test_a_small_file_of_very_many_values_is_refused_before_it_is_parsed():
    begin = time.perf_counter()
    refusal(as_bytes(metadata={"a": 0}).replace(b'"a": 0', b'"a": [' + b"[]," * 3_000_000 + b"0]"))
    assert time.perf_counter() - begin < 1


@pytest.mark.parametrize("source", [["x = 1\n", "y = 2"], "x = 1\ny = 2", "x = 1\r\ny = 2", ["x = 1\r", "y = 2"]])
def test_source_is_one_text_with_newlines_as_line_ends(source):
    assert parse_notebook(as_bytes(cells=[cell(source=source)]), "a.ipynb").cells[0].source == "x = 1\ny = 2"


def test_lone_surrogates_are_replaced_wherever_they_are():
    odd = "\ud800"
    data = as_bytes(cells=[cell(source=f"x = '{odd}'", metadata={odd: [odd]})], metadata={odd: odd})
    notebook = parse_notebook(data, "a.ipynb")
    nbformat.writes(notebook).encode()
    assert notebook.cells[0].source.isprintable()


def test_characters_beyond_the_basic_plane_stay_as_they_are():
    assert parse_notebook(as_bytes(cells=[cell(source="x = '😀'")]), "a.ipynb").cells[0].source == "x = '😀'"


@pytest.mark.parametrize("ids", [["one", "one"], [None, None], [3, {}], ["", "a b"], ["x" * 65, "cell-1"], ["cell-2", "cell-2"]])
def test_cell_ids_that_are_missing_odd_or_there_twice_are_repaired_quietly(ids):
    cells = [{k: v for k, v in cell(id=cell_id).items() if k != "id" or v is not None} for cell_id in ids]
    found = [cell.id for cell in parse_notebook(as_bytes(cells=cells), "a.ipynb").cells]
    assert len(set(found)) == 2


def test_a_repaired_cell_id_is_the_same_each_time():
    data = as_bytes(cells=[cell(id="one"), cell(id="one")])
    first, second = (parse_notebook(data, "a.ipynb") for _ in range(2))
    assert first == second


@pytest.mark.parametrize("minor", [None, 0, 2, 4, 5, 6, 10**9, -1, "5", [], True])
def test_any_minor_format_is_read_as_the_current_one(minor):
    notebook = parse_notebook(as_bytes(nbformat_minor=minor), "a.ipynb")
    assert notebook.nbformat_minor == 5
    nbformat.validate(notebook)


@pytest.mark.parametrize("outputs", [None, 3, [3], [{"output_type": "virus"}], [{"output_type": "stream"}]])
def test_broken_outputs_do_not_cost_the_notebook(outputs):
    assert parse_notebook(as_bytes(cells=[cell(outputs=outputs)]), "a.ipynb").cells[0].source == "x = 1"


def test_a_cell_without_outputs_is_read():
    bare = {"cell_type": "code", "metadata": {}, "source": "x = 1"}
    assert parse_notebook(as_bytes(cells=[bare]), "a.ipynb").cells[0].outputs == []


def test_keys_that_the_format_does_not_know_do_no_harm():
    assert parse_notebook(as_bytes(cells=[cell(colour="red")], colour="red"), "a.ipynb").cells[0].source == "x = 1"


def test_a_notebook_of_format_3_is_upgraded():
    old = {
        "cell_type": "code",
        "language": "python",
        "input": ["x = 1\n", "y = 2"],
        "outputs": [],
        "metadata": {},
        "collapsed": False,
    }
    heading = {"cell_type": "heading", "level": 1, "source": "Title", "metadata": {}}
    document = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": [heading, old], "metadata": {}}],
    }
    notebook = parse_notebook(json.dumps(document).encode(), "a.ipynb")
    assert [cell.source for cell in notebook.cells] == ["# Title", "x = 1\ny = 2"]
    nbformat.validate(notebook)


@pytest.mark.parametrize("sheets", [None, 3, [3], [{}], [{"cells": [{}]}], [{"cells": [{"cell_type": "code"}]}], [{"cells": 3}]])
def test_a_broken_notebook_of_format_3_is_refused(sheets):
    refusal(json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets}).encode())


def test_a_small_notebook_is_read_in_a_few_milliseconds():
    data = nbformat.writes(new_notebook(cells=[new_code_cell("x = 1\n" * 20) for _ in range(20)])).encode()
    parse_notebook(data, "a.ipynb")
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        parse_notebook(data, "a.ipynb")
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.02
