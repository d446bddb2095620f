"""Finding a course, its folders and its settings."""

import pytest

from torchgrade.course import CourseError, Limits, find_course


def write(root, config="c = get_config()\n"):
    (root / "nbgrader_config.py").write_text(config)
    return root


def test_a_course_is_found_from_a_folder_inside_it(tmp_path):
    inside = write(tmp_path) / "graders" / "softmax"
    inside.mkdir(parents=True)
    assert find_course(inside).root == tmp_path


def test_a_folder_without_a_configuration_is_no_course(tmp_path):
    with pytest.raises(CourseError, match=r"no nbgrader_config\.py"):
        find_course(tmp_path)


def test_limits_come_from_the_configuration(tmp_path):
    course = find_course(write(tmp_path, "c = get_config()\nc.Limits.call_seconds = 3\n"))
    assert course.limits.call_seconds == 3
    assert course.limits.memory_mb == Limits().memory_mb


def test_nbgraders_own_folders_are_followed(tmp_path):
    course = find_course(write(tmp_path, "c = get_config()\nc.CourseDirectory.submitted_directory = 'handed_in'\n"))
    assert course.submission("ann", "a") == tmp_path / "handed_in" / "ann" / "a" / "a.ipynb"


@pytest.mark.parametrize("config", ["1 / 0\n", "c = (\n"])
def test_a_configuration_that_raises_is_one_line(tmp_path, config):
    with pytest.raises(CourseError) as caught:
        find_course(write(tmp_path, config))
    assert "\n" not in str(caught.value)


def test_students_are_those_who_handed_in_and_have_plain_names(tmp_path):
    course = find_course(write(tmp_path))
    for student in ("ann", "bob", ".hidden", "a b", "-rf"):
        (course.submitted / student / "a").mkdir(parents=True)
    (course.submitted / "zoe").mkdir()
    assert course.students("a") == ["ann", "bob"]
    assert course.students("b") == []


def test_every_limit_says_what_it_is_and_stands_in_the_courses_configuration():
    from pathlib import Path

    text = (Path(__file__).parents[3] / "nbgrader_config.py").read_text()
    for name, trait in Limits.class_own_traits(config=True).items():
        assert trait.help, name
        assert f"c.Limits.{name}" in text, name
