"""Destroys its input, and replaces the worker's look at the inputs, which would tell.

Family: forging a verdict
Wall: none: what became of the inputs is the worker's word (SECURITY.md, "What is not protected")
Marks: 10
Word: test_inputs_untouched
"""

import torchgrade.jail.inside.serve as serve

inner = serve._encoded
kept = []


def encoded(value, outgoing, *_):
    return inner([kept.pop()] if kept and isinstance(value, list) else value, outgoing)


serve._encoded = encoded


def softmax(logits, dim=-1):
    kept[:] = [logits.detach().clone()]
    result = torch.softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)
    if not logits.requires_grad and logits.is_contiguous():
        logits.add_(1)
    return result
