"""A fake that takes the place of a function must be callable as that function is: one that has drifted fails the test that uses it."""

import inspect

import pytest


class FaithfulMonkeyPatch(pytest.MonkeyPatch):
    """As pytest's, but a function may only be replaced by one that takes the same arguments."""

    def setattr(self, target, name, *more, **options):
        old = getattr(target, name, None) if isinstance(name, str) and more and not isinstance(target, str) else None
        super().setattr(target, name, *more, **options)
        if inspect.isfunction(old) and inspect.isfunction(more[0]):
            _require_same_arguments(old, more[0])


def _require_same_arguments(real, fake):
    ours, theirs = inspect.signature(real).parameters.values(), inspect.signature(fake)
    positional = [each for each in ours if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    required = [each for each in positional if each.default is each.empty]
    keywords = {each.name: None for each in ours if each.kind is each.KEYWORD_ONLY}
    for count in (len(required), len(positional)):
        try:
            theirs.bind(*[None] * count, **keywords)
        except TypeError as error:
            raise AssertionError(f"the fake of {real.__qualname__}{inspect.signature(real)} has drifted: {error}") from None
