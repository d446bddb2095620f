"""The sanitiser."""

import sys
import time
import unicodedata

import pytest

from torchgrade.report.text import clean, one_line


def test_plain_text_stays_as_it_is():
    text = "The gradient: 3 of 12 elements\n\tare wrong: 1e-3 ≤ ε, naïve, 数, हिन्दी"

    assert clean(text) == text


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07red",
        "\x1b]8;;https://example.org\x1b\\red\x1b]8;;\x1b\\",
        "\x9b2Jred",
        "\x1bcred",
        "\x1b(Bred",
        "\x1b[38;2;255;0;0mred",
    ],
)
def test_escape_sequences_vanish(hostile):
    assert clean(hostile) == "red"


def test_an_escape_sequence_without_an_end_hides_nothing():
    assert "0;all that follows" in clean("\x1b]0;all that follows")


@pytest.mark.parametrize("character", ["\0", "\x08", "\x7f", "\x9f", "\u202e", "\u2066", "\u200b", "\u200f", "\ufeff"])
def test_control_and_direction_characters_become_visible(character):
    assert clean(f"a{character}b") == "a\ufffdb"


@pytest.mark.parametrize("character", ["\ud800", "\ue000", "\U000e0041", "\u0378", "\u3164", "\u2800", "\U000e0101"])
def test_surrogates_private_tag_and_invisible_characters_become_visible(character):
    assert clean(f"a{character}b") == "a\ufffdb"


def test_a_carriage_return_cannot_write_over_a_line():
    assert clean("passed\rfailed\r\nend\u2028more") == "passed\nfailed\nend\nmore"


def test_odd_spaces_become_plain_ones():
    assert clean("a\u00a0b\u3000c") == "a b c"


def test_stacked_marks_are_thinned_out():
    assert clean("e" + "\u0301" * 500 + "!") == "e" + "\u0301" * 4 + "!"


def test_long_text_is_cut_and_says_so():
    assert clean("x" * 5000, 10) == "x" * 10 + " … (cut)"


def test_text_of_just_the_limit_is_not_cut():
    assert clean("x" * 10, 10) == "x" * 10


def test_many_lines_are_cut_and_say_so():
    cut = clean("x\n" * 1000)

    assert cut.count("\n") < 101
    assert cut.endswith("(cut)")


def test_whatever_comes_out_is_encodable_and_printable():
    everything = "".join(map(chr, range(sys.maxunicode + 1)))

    for start in range(0, len(everything), 2000):
        shown = clean(everything[start : start + 2000])
        shown.encode("utf-8")
        assert all(c in "\n\t" or unicodedata.category(c)[0] != "C" for c in shown)


@pytest.mark.parametrize("unit", ["\x1b[", "\x1b]", "\x1b]" + "a" * 400, "\u0301", "\x1b[" + "1" * 60, "\x9b", "\r"])
def test_hostile_text_costs_little_time(unit):
    text = unit * (10_000_000 // len(unit))
    started = time.process_time()
    clean(text)

    assert time.process_time() - started < 0.5


def test_one_line_has_one_line():
    assert one_line("a\nb\t c") == "a b c"


def test_one_line_is_shortened_with_an_ellipsis():
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
