"""Hidden checks: power_iteration.

The judge chooses the step at which the iteration is to stop, and lays the tolerance between the errors of that step and of the
one before, so rounding moves no count: both errors are off the tolerance by a hundredth at least, rounding by 1e-8 of them.
A tolerance is never below 1e-7: down to there, also sqrt(|w|^2 - value^2) has enough digits left for the error.

A thing is billed once. Values are looked at where the number of steps plays no role for them and the other way round; compiled
results are compared with what the function itself gives in Python for the same arguments.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_inputs_untouched, assert_shape, assert_tensor, points

from .public_power_iteration import compiled, parts, refused

F64 = torch.float64


def matrix_of(size, largest, ratio, symmetric=True):
    """A matrix with this largest eigenvalue and a second one of ``ratio`` times its size; a start with all eigenvectors in it.

    The others are at most 0.8 times the second; vectors that are not orthogonal show whether matrix or its transpose is used.
    """
    signs = 2.0 * torch.randint(2, (size,)) - 1
    sizes = torch.cat([torch.ones(2), 0.1 + 0.7 * torch.rand(size - 2)]).double()
    eigenvalues = abs(largest) * ratio * sizes * signs
    eigenvalues[0] = largest
    vectors = torch.linalg.qr(torch.randn(size, size, dtype=F64))[0]
    if not symmetric:
        vectors = vectors + 0.25 * torch.randn(size, size, dtype=F64) / size**0.5
    matrix = vectors @ torch.diag(eigenvalues) @ torch.linalg.inv(vectors)
    parts_of_start = (0.5 + torch.rand(size, dtype=F64)) * (2.0 * torch.randint(2, (size,)) - 1)
    return matrix, float(2 + 3 * torch.rand(())) * vectors @ parts_of_start


def history(matrix, start, steps):
    """The value and the error of each step."""
    v, values, errors = start / start.norm(), [], []
    for _ in range(steps):
        w = matrix @ v
        values.append(v @ w)
        errors.append(float((w - values[-1] * v).norm()))
        v = w / w.norm()
    return values, errors


def draw(steps, *, sign=1, ratio=None, symmetric=True, size=None):
    """Arguments (without a limit) for which the iteration stops at this step, and the value there."""
    while True:
        chosen = ratio if ratio is not None else float(0.3 + 0.6 * torch.rand(()))
        n = size or int(torch.randint(4, 7, ()))
        matrix, start = matrix_of(n, sign * float(1 + 2 * torch.rand(())), chosen, symmetric)
        values, errors = history(matrix, start, steps)
        before = min(errors[:-1], default=4 * errors[-1])
        if before > 1.03 * errors[-1] and errors[-1] > 2e-7:
            return (matrix, start, (before * errors[-1]) ** 0.5), values[-1]


def number(value, what):
    """The value as a number of no dimensions; that it is one is looked at by `test_types`."""
    value = assert_tensor(value, what=what)
    return value.double().reshape(()) if value.numel() == 1 else value


def check_value(value, expected, what, hint, ulps=2**22):
    assert_close(number(value, what), expected, precision=F64, ulps=ulps, scale=1 + abs(float(expected)), what=what, hint=hint)


def check_steps(steps, right, what, hint):
    if steps is None or isinstance(steps, str) or int(steps) != right:
        raise CheckFailed(f"{what} is {steps}; expected {right}", hint=hint)


@points(1)
def test_values(student):
    """The value is that of the step at which the error is small enough, for matrices that are not symmetric as well."""
    hint = "Write down one step on paper, for a matrix that is not symmetric. Which product is w, and when is the value taken?"
    for steps in (1, 2, 3, 4, 6):
        for symmetric in (True, False):
            arguments, expected = draw(steps, symmetric=symmetric)
            value, _ = parts(student.power_iteration(*arguments, 100))
            check_value(value, expected, "the value", {"values": hint})


@points(1)
def test_sign(student):
    """The value of a largest eigenvalue below 0 is below 0; what is found for a matrix is found for its negative."""
    hint = "This eigenvalue is negative: w points the other way than v. Which of your numbers can be negative?"
    # So many steps that the value hardly changes, and 1e-3 of it is allowed: how many there are is not looked at here.
    for ratio, steps in ((0.3, 12), (0.4, 15), (0.5, 19), (0.5, 20)):
        arguments, expected = draw(steps, sign=-1, ratio=ratio)
        value, count = parts(student.power_iteration(*arguments, 100))
        check_value(value, expected, "the value of a negative eigenvalue", {"values": hint, "sign": hint}, ulps=2**43)
        _, mirrored = parts(student.power_iteration(-arguments[0], *arguments[1:], 100))
        if count == 100 and mirrored != 100:
            raise CheckFailed(f"a matrix takes all 100 steps, and its negative {mirrored}; expected equally many", hint=hint)


@points(1)
def test_steps(student):
    """The number of steps is right for matrices that take 4 to 100 of them, and is 1 for an eigenvector."""
    hint = "The count says when the loop has ended. Where does it begin, what is compared with the tolerance, and on which path?"
    for ratio, steps in ((0.3, 4), (0.5, 9), (0.7, 24), (0.8, 40), (0.9, 100)):
        arguments, _ = draw(steps, ratio=ratio)
        _, count = parts(student.power_iteration(*arguments, 1000))
        check_steps(count, steps, "the number of steps", hint)
    matrix, start = matrix_of(5, 2.0, 0.9)
    eigenvector = torch.linalg.matrix_power(matrix / 2.0, 400) @ start
    eigenvector = eigenvector / eigenvector.norm()
    _, count = parts(student.power_iteration(matrix, eigenvector, 1e-6, 50))
    check_steps(count, 1, "the number of steps from an eigenvector", hint)


@points(1)
def test_limit(student):
    """Without success, the value of the last step is returned, and max_steps."""
    hint = "After the last step nothing else happens. Which value, and which number, does the path after the loop return?"
    for max_steps in (2, 3, 7):
        matrix, start = matrix_of(5, 1 + 2 * torch.rand(()).item(), 0.8)
        values, errors = history(matrix, start, max_steps)
        value, count = parts(student.power_iteration(matrix, start, min(errors) / 1e6, max_steps))
        check_steps(count, max_steps, f"the number of steps, of which {max_steps} are allowed and more are needed,", hint)
        check_value(value, values[-1], f"the value after {max_steps} steps without success", {"values": hint})


@points(0.5, kind="dtypes")
def test_types(student):
    """The value is a float64 tensor without dimensions, and the number of steps an int."""
    arguments, _ = draw(5)
    value, count = parts(student.power_iteration(*arguments, 100), numbers=False)
    hint = "Compare the types of what you return with the signature."
    assert_shape(assert_tensor(value, what="the value", hint=hint), (), hint=hint)
    assert_dtype(value, F64, hint=hint)
    if type(count) is not int:
        raise CheckFailed(f"the number of steps is a {type(count).__name__}; expected an int", hint=hint)


@points(0.5, kind="inputs")
def test_inputs_untouched(student):
    """The matrix and the start are the same after the call."""
    arguments, _ = draw(5)
    assert_inputs_untouched(student.power_iteration, *arguments, 100, hint="Which of your operations write into their tensor?")


def compare(student, calls):
    """Compare what the scripted, saved and loaded function gives with what the function gives in Python."""
    results = student.run(compiled, calls)
    if isinstance(results, str):
        refused(results)
    if not isinstance(results, list) or len(results) != len(calls):
        raise CheckFailed("the scripted function gave no results")
    found = []
    for arguments, result in zip(calls, results, strict=True):
        value, count = parts(student.power_iteration(*arguments))
        found.append(number(value, "the value"))
        compiled_value, compiled_count = parts(result)
        hint = "In Python it gives something else. What does the compiler do with that line?"
        check_value(compiled_value, found[-1], "the scripted function's value", {"values": hint})
        if compiled_count != count:
            raise CheckFailed(f"scripted, the function takes {compiled_count} steps, and {count} in Python", hint=hint)
    if len(found) > 1 and all(torch.equal(each, found[0]) for each in found):
        raise CheckFailed("the value is the same for each matrix, scripted or not")


@points(1.5)
def test_scripted_counts(student):
    """Scripted, saved and loaded, the function takes as many steps as in Python, and finds the same value."""
    calls = []
    for steps, sign in ((1, 1), (2, -1), (4, 1), (9, -1), (25, 1)):
        arguments, _ = draw(steps, sign=sign)
        calls.append((*arguments, 1000))
    compare(student, calls)


@points(0.5)
def test_scripted_limit(student):
    """Scripted, saved and loaded, the function stops at max_steps as it does in Python."""
    calls = []
    for max_steps in (1, 2, 6):
        matrix, start = matrix_of(4, -2.0, 0.8)
        calls.append((matrix, start, min(history(matrix, start, max_steps)[1]) / 1e6, max_steps))
    compare(student, calls)
