"""Opens the files of the course whose places it knows: graders, solutions, another's submission and record.

Family: reading what is secret
Wall: the course's folder is not in the jail
Marks: 0
Reads: yes
Says: LOOT
"""

places = (
    "secret.txt",
    "graders/numerical_stability/secret.txt",
    "solutions/numerical_stability/secret.txt",
    "submitted/alice/numerical_stability/secret.txt",
    "results/alice/numerical_stability.json",
)


def softmax(logits, dim=-1):
    found = []
    for place in places:
        try:
            found.append(open("@COURSE@/" + place).read())
        except OSError as error:
            found.append(type(error).__name__)
    raise ValueError(f"LOOT {found}")
