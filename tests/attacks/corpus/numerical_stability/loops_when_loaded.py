"""Never comes to the end of its cell.

Family: wearing the machine out
Wall: time limits on the judge's clock
Marks: 0
Says: did not end within
"""

while True:
    pass
