"""Raises errors whose text, type and source line are a page's scripts, images, styles and links.

Family: through the paper
Wall: every text is cleaned and escaped before a page
Marks: 0
Says: <script>
"""

markup = "<script>document.title='owned'</script><img src=x onerror=alert(1)><style>body{display:none}</style>"
markup += "<a href='javascript:alert(1)'>ok</a></td></tr></table>"


def softmax(logits, dim=-1):
    raise type("<b onclick=alert(1)>Passed</b>", (Exception,), {})(markup)  # <script>alert(2)</script>
