"""Filters for pages that show what a student wrote: feedback and Formgrader. Text stays, anything that acts goes.

Markdown may hold HTML, and Formgrader shows it in the browser of whoever may change marks. So it is made into HTML as
nbconvert does, and then only what is listed here is let through. What a student's code puts out is cleaned with the same
list, in :mod:`torchgrade.gradebook.feedback_pages`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import strip_files_prefix
from nbformat import NotebookNode

from torchgrade.course import Course
from torchgrade.gradebook.cells import own_notebook
from torchgrade.gradebook.nbgrader_course import GradebookError
from torchgrade.notebook.cells import Role, grade_id_of, role_of
from torchgrade.notebook.errors import one_line

_INLINE = "a abbr b br code del em i img ins kbd s span strong sub sup u"
_BLOCKS = "blockquote dd details div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre summary ul"
_TABLES = "caption table tbody td tfoot th thead tr"
_TAGS = set(f"{_INLINE} {_BLOCKS} {_TABLES}".split())
_ATTRIBUTES = {
    "*": set[str](),
    **{tag: {"class"} for tag in ("div", "span", "pre", "code")},
    **{tag: {"colspan", "rowspan", "align"} for tag in ("td", "th")},
    "a": {"title", "href"},
    "img": {"alt", "title", "width", "height", "src"},
    "ol": {"start"},
}
"""By tag, the attributes that may stay; of those with an address or a class :func:`_allowed` looks at the value, too."""
_FORMATTING = re.compile(r"<(a|b|code|em|i|s|strong|u)\b", re.IGNORECASE)
_MOST_TAGS, _MOST_STEPS = 5_000, 2_000_000
"""In one text. A parser opens formatting tags again and again; what would take it more than a second is shown as it stands."""
# Pygments' classes for code, and no others: the pages' own classes carry their layout and Formgrader's buttons.
_CODE_CLASS = re.compile(r"highlight|hll|[a-z]{1,2}\d?")
_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]+|(?!/)[\w./-]+\.(png|jpe?g|gif|svg|webp)")
_ELSEWHERE = re.compile(r"https?://|mailto:|#", re.IGNORECASE)
# Formgrader serves what lies beside a notebook from its own address: a page or a drawing there could do what its reader may do.
_FILE = re.compile(
    r"(?!/)([\w./-]|%20)+\.(csv|gif|ipynb|jpe?g|json|md|npy|npz|pdf|png|pt|py|tsv|txt|webp|zip)(#[\w-]*)?", re.IGNORECASE
)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
# Bootstrap's icons, which do not come with the page and are not used on it: the policy would stop them, and the browser say so.
_ICON_FONT = re.compile(r"@font-face\s*\{[^}]*glyphicons[^}]*\}", re.IGNORECASE)
# nbgrader's style sheets leave no room between the columns of a table in the text or among outputs, and no triangle to a fold.
_STYLE = (
    "<style>.rendered_html :is(th, td) { padding: .15rem .7rem; } .rendered_html table { margin: .5rem 0; }\n"
    "summary { display: list-item; list-style: disclosure-closed inside; cursor: pointer; }\n"
    "details[open] > summary { list-style-type: disclosure-open; }</style>\n"
)
_SAYS = re.compile(r'(<(div|span) class="torchgrade-says">)([^<]*)(?=</\2>)')
"""The words of a grader: hints, and guesses at a misconception. It is escaped, so that no tag is in it."""
_IN_A_CELL = re.compile(
    r"(?<=\()cell (\d+)(?=, line \d+: )|(?<=Not run: )cell (\d+)(?= )|(?<=<li>)Cell (\d+)(?=, line \d+: | did not run)"
)
_LONGEST_LINE = 40


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """Render Markdown as nbconvert's filter of this name does, clean what comes of it, and set its formulas."""
    return with_formulas(clean(strip_files_prefix(_exporter().markdown2html(context, source))))  # type: ignore[no-untyped-call]


@functools.cache
def _exporter() -> HTMLExporter:
    """Nbconvert's own way from Markdown to HTML, whatever the course's settings for pages are."""
    return HTMLExporter(exclude_anchor_links=True)  # type: ignore[no-untyped-call]


def latex(text: str) -> str:
    """Return the text of a LaTeX output, with the formulas in it set."""
    return with_formulas(escape(text))


def unchanged(text: str) -> str:
    """In the place of nbconvert's ``strip_files_prefix``, which nbgrader's templates use on HTML that is clean already.

    It would make ``javascript:`` of ``files/javascript:``. :func:`markdown2html` uses it before it cleans.
    """
    return text


def clean_html(html: str | bytes) -> str:
    """In the place of nbconvert's filter of this name, which lets classes and ids of the page itself through."""
    return clean(html.decode("utf-8", "replace") if isinstance(html, bytes) else html)


def clean(html: str) -> str:
    """``html`` without anything that runs, loads, submits, or could be taken for a part of the page around it."""
    if is_too_much(html):
        return f"<pre>{escape(html)}</pre>"
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=set(),  # the text of a script stays, as text
        attributes=_ATTRIBUTES,
        attribute_filter=_allowed,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel=None,
    )


def is_too_much(html: str) -> bool:
    """Return whether ``html`` has so many tags that parsing it would take more than a second."""
    tags = html.count("<")
    return tags > _MOST_TAGS or tags * len(_FORMATTING.findall(html)) > _MOST_STEPS


def _allowed(_tag: str, name: str, value: str) -> str | None:
    """The value of an attribute that is in :data:`_ATTRIBUTES`, if it may stay."""
    if name == "class":
        return value if all(_CODE_CLASS.fullmatch(word) for word in value.split()) else None
    if name == "src":
        return value if _is_image(value) else None
    if name == "href":
        return value if _is_link(value) else None
    return value


def _is_image(value: str) -> bool:
    """A picture in the page itself or in its own folder: one from elsewhere would tell its owner who reads the page."""
    return _IMAGE.fullmatch(value) is not None and ".." not in value


def _is_link(value: str) -> bool:
    """To elsewhere, into the page, or to a file in its own folder that a browser shows or keeps, and does not run."""
    address = unescape(value).strip()
    return _ELSEWHERE.match(address) is not None or (_FILE.fullmatch(address) is not None and ".." not in address)


def with_policy(header: str) -> str:
    """The page's ``<head>`` with its language and a policy that lets no script run and loads nothing from elsewhere."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: file:; base-uri 'none'; form-action 'none'"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    bare = _ICON_FONT.sub("", _SCRIPT.sub("", header))
    bare = bare.replace("<html>", '<html lang="en">', 1)
    return bare.replace("<head>", "<head>\n" + meta, 1).replace("</head>", _STYLE + "</head>", 1)


@dataclasses.dataclass(frozen=True, slots=True)
class OwnWords:
    """For one student's page: what the assignment is called, and what stands in the place of a cell's number, as HTML.

    JupyterLab shows no such numbers: it counts what was run.
    """

    title: str
    cells: Mapping[int, str] = dataclasses.field(default_factory=dict)
    in_all: str = ""
    """The mark of the whole assignment, where the page is of one of its notebooks."""

    def output(self, html: str) -> str:
        """An output of torchgrade's own with cells by their names, and the formulas in its hints set."""
        return with_formulas_in_hints(_IN_A_CELL.sub(self._named, html))

    def _named(self, place: re.Match[str]) -> str:
        name = self.cells.get(int(place[1] or place[2] or place[3]))
        if name is None:
            return place[0]
        if place[1]:
            return f"in {name}"
        told = f"In {name}" if place.string.startswith(",", place.end()) else name
        return told[:1].upper() + told[1:] if place[3] else told


def page_title(resources: Mapping[str, Any]) -> str:
    """The title above a page, as HTML: the assignment's own, unless a course's list of preprocessors lacks UseOwnWords."""
    words = resources.get("torchgrade_page")
    return words.title if words else escape(resources["nbgrader"]["notebook"])


def mark_in_all(resources: Mapping[str, Any]) -> str:
    """A line with the mark of the whole assignment, as HTML, below the title of a classic course's page."""
    words = resources.get("torchgrade_page")
    return f"<p>{words.in_all}</p>" if words and words.in_all else ""


def in_own_words(html: str, resources: Mapping[str, Any]) -> str:
    """An output of torchgrade's own as it stands on this student's page; as it is where nobody has the words for that."""
    words = resources.get("torchgrade_page")
    return words.output(html) if words else html


def with_formulas_in_hints(html: str) -> str:
    """Return an output of torchgrade's own with the formulas in its hints as MathML."""
    return _SAYS.sub(lambda says: says[1] + with_formulas(says[3]), html)


def cell_names(notebook: NotebookNode) -> dict[int, str]:
    """How each code cell of a submission is called, by its number among all cells: by its exercise, or by how it begins."""
    return {number: _name_of(cell) for number, cell in enumerate(notebook.cells, start=1) if cell.cell_type == "code"}


def _name_of(cell: NotebookNode) -> str:
    if role_of(cell) is Role.SOLUTION:
        return f"<code>{escape(one_line(str(grade_id_of(cell))))}</code>"
    begins = next((line for line in cell.source.split("\n") if line.strip()), "")
    return f"the cell that begins with <code>{escape(one_line(begins, _LONGEST_LINE))}</code>"


def assignment_title(course: Course, assignment: str, notebook: str = "") -> str:
    """Return the first heading of the course's own notebook, or its name. ``notebook``: of a classic course that has several."""
    name = notebook or assignment
    try:
        return title_of(own_notebook(course.assignments / assignment / f"{name}.ipynb")) or name
    except GradebookError:
        return name


def title_of(notebook: NotebookNode) -> str:
    """Return the first heading of a notebook as plain text; empty where it has none."""
    for cell in notebook.cells:
        tokens = MarkdownIt().parse(cell.source) if cell.cell_type == "markdown" else []
        for opening, heading in itertools.pairwise(tokens):
            if opening.type == "heading_open":
                return " ".join("".join(part.content for part in heading.children or ()).split())
    return ""


# ---- formulas as MathML, which browsers set by themselves: a page needs neither a script nor the network for them
#
# clean HTML ──► the text between its tags, code left out ──► $…$ and $$…$$ ──► latex2mathml ──► cleaned again
#
# A formula is a student's text like any other. What cannot be made into MathML stays as it was written.

_TAG = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"<(/?)(code|pre|kbd|math)\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$(?P<block>[^$]+)\$\$|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\d$])")
_LONGEST, _MOST = 2_000, 500
"""Characters of a formula, and formulas in one text, that are set."""
_ELEMENTS = "math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle"
_MORE_ELEMENTS = "msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
_FORMULA_TAGS = set(f"{_ELEMENTS} {_MORE_ELEMENTS}".split())
_OF_TABLES = "columnalign columnlines columnspacing rowlines rowspacing width"
_OF_SIGNS = "accent accentunder fence form lspace maxsize minsize movablelimits rspace separator stretchy symmetric"
_OF_ALL = "depth display displaystyle height linebreak linethickness mathsize mathvariant notation scriptlevel xmlns"
_LOOKS = {"*": set(f"{_OF_TABLES} {_OF_SIGNS} {_OF_ALL}".split())}
"""The attributes that only say how a formula looks: no link, no style, nothing that acts."""


def with_formulas(html: str) -> str:
    """Return clean HTML with the formulas in its text as MathML; those in code, and those that are none, as they were."""
    if "$" not in html:
        return html
    parts, inside, left = [], 0, [_MOST]
    for part in _TAG.split(html):
        if part.startswith("<"):
            if found := _NAME.match(part):
                inside = max(0, inside + (-1 if found[1] else 1))
        elif not inside:
            part = _FORMULA.sub(lambda formula: _set(formula, left), part)  # noqa: PLW2901 - the text in its place
        parts.append(part)
    return "".join(parts)


def _set(formula: re.Match[str], left: list[int]) -> str:
    tex = unescape(next(text for text in formula.groups() if text is not None)).strip()
    is_block = formula["block"] is not None
    if left[0] <= 0 or len(tex) > _LONGEST:
        return formula[0]
    left[0] -= 1
    try:
        markup = convert(tex, display="block" if is_block else "inline")
    except Exception:  # noqa: BLE001 - a stranger's TeX: whatever it does to the converter, the text stays
        return formula[0]
    if "<mi>&</mi>" in markup or "<mi>\\" in markup:  # an alignment or a command that it does not know
        return formula[0]
    return nh3.clean(markup, tags=_FORMULA_TAGS, clean_content_tags=set(), attributes=_LOOKS, link_rel=None)
