"""Asks the gradebook's database, and would write to it.

Family: reading what is secret
Wall: the course's folder is not in the jail
Marks: 0
Reads: yes
Says: LOOT
"""

import sqlite3


def softmax(logits, dim=-1):
    try:
        book = sqlite3.connect("@COURSE@/gradebook.db")
        found = book.execute("select * from grade").fetchall()
    except sqlite3.Error as error:
        found = error
    raise ValueError(f"LOOT {found}")
