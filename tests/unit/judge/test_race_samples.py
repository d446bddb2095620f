"""The statistics of a race, on made-up samples."""

import pytest
from made_samples import samples

from torchgrade.judge.race.racing import inner_count
from torchgrade.judge.race.samples import Batch, Ratios, Samples, digits, pooled


def test_wall_time_counts_by_its_minimum_and_processor_time_by_its_median():
    student = Samples([9.0, 2.0, 9.0], [4.0, 1.0, 90.0], [0.0], [1.0])
    assert Ratios.of(student, samples(1.0)) == (2.0, 4.0)


def test_the_references_halves_are_one_when_the_student_is_held_against_them():
    batch = Batch(samples(3.0), samples(2.0), samples(1.0, processor=2.0))
    assert batch.against("reference") == (3.0, 1.5)
    assert batch.itself == (2.0, 1.0)
    assert not batch.steady
    assert batch.at_the_least("reference") == (1.5, 1.5)


@pytest.mark.parametrize(("ratio", "steady"), [(0.79, False), (0.81, True), (1.24, True), (1.26, False)])
def test_the_reference_may_differ_from_itself_by_a_quarter(ratio, steady):
    one = samples(1.0)
    assert Batch(one, samples(ratio, processor=1.0), one).steady is steady
    assert Batch(one, samples(1.0, processor=ratio), one).steady is steady


def test_one_lucky_sample_does_not_unsettle_every_batch_after_it():
    lucky, usual = Batch(samples(1.0), samples(0.5), samples(1.0)), Batch(samples(1.0), samples(1.0), samples(1.0))
    assert [batch.steady for batch in pooled([lucky, usual])] == [False, True]


def test_a_baseline_has_samples_of_its_own():
    batch = Batch(samples(1.0), samples(1.0), samples(1.0), samples(10.0))
    assert batch.against("baseline") == (0.1, 0.1)


def test_more_processor_time_than_time_is_a_crowd():
    assert not Batch(samples(1.0, processor=1.2)).crowded
    assert Batch(samples(1.0, processor=1.3)).crowded


def test_processes_that_had_ended_before_they_were_read_count():
    student = samples(1.0, processor=0.1)
    student.reaped = 2.0
    assert student.usual_processor == pytest.approx(2.1)
    assert Batch(student).crowded


def test_work_after_the_answers_is_restless_and_clearing_up_is_not():
    reference = samples(1.0, after=0.001)
    assert not Batch(samples(1.0, after=0.01), reference, reference).restless  # a hundredth of the time
    assert Batch(samples(1.0, processor=1.5, after=0.5), reference, reference).restless
    assert not Batch(samples(10.0, after=0.5), reference, reference).restless  # little beside the work before
    busy = samples(1.0, after=0.5)
    assert not Batch(samples(1.0, after=0.5), busy, busy).restless  # the reference does so too


def test_samples_are_kept_as_microseconds_of_four_digits():
    assert digits([0.00123456, 1e-6]) == [1235.0, 1.0]


class Fixed:
    def __init__(self, wall):
        self.wall = wall

    def run(self, _inputs, samples):
        samples.wall.append(self.wall)

    def settle(self):
        pass


@pytest.mark.parametrize(("wall", "calls"), [(0.6e-3, 1), (0.4e-3, 2), (0.1e-3, 5), (1e-9, 64)])
def test_a_sample_has_calls_enough_to_last_half_a_millisecond(wall, calls):
    assert inner_count(Fixed(wall), lambda: ()) == calls


def test_wall_times_are_held_to_the_least_of_all_batches():
    noisy, quiet = Batch(samples(9.0), samples(3.0), samples(1.0)), Batch(samples(2.0), samples(1.0), samples(1.0))
    first, second = pooled([noisy, quiet])
    assert first.against("reference") == (2.0, 4.5)
    assert first.itself.wall == 1.0
    assert second.against("reference") == (2.0, 2.0)
    assert noisy.against("reference").wall == 9.0  # what was measured stays as it was
