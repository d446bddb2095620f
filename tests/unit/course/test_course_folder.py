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


def test_a_setting_that_there_is_not_is_an_error_that_says_which_is_meant(tmp_path):
    with pytest.raises(CourseError, match=r"c\.Limits has no setting 'memory'; did you mean 'memory_mb'\?$"):
        _ = find_course(write(tmp_path, "c = get_config()\nc.Limits.memory = 3\n")).limits


def test_a_misspelt_section_is_an_error_with_a_guess_and_those_of_others_are_left_alone(tmp_path):
    with pytest.raises(CourseError, match=r"c\.Limit\.memory_mb: there is no section 'Limit'; did you mean c\.Limits\?$"):
        find_course(write(tmp_path, "c = get_config()\nc.Limit.memory_mb = 3\n"))
    assert find_course(write(tmp_path, "c = get_config()\nc.LimitOutput.max_lines = 3\nc.Exchange.root = '/x'\n"))
    with pytest.raises(CourseError, match=r"c\.Watch has no setting 'x'; there are: every_seconds, gradings_per_hour$"):
        _ = find_course(write(tmp_path, "c = get_config()\nc.Watch.x = 3\n")).watch


def test_nbgraders_own_folders_are_followed(tmp_path):
    course = find_course(write(tmp_path, "c = get_config()\nc.CourseDirectory.submitted_directory = 'handed_in'\n"))
    assert course.submission("ann", "a") == tmp_path / "handed_in" / "ann" / "a" / "a.ipynb"


@pytest.mark.parametrize("config", ["1 / 0\n", "c = (\n"])
def test_a_configuration_that_raises_is_one_line(tmp_path, config):
    with pytest.raises(CourseError) as caught:
        find_course(write(tmp_path, config))
    assert "\n" not in str(caught.value)


def test_students_are_those_who_handed_in_whatever_their_script(tmp_path):
    course = find_course(write(tmp_path))
    names = ["O'Brien", "Smith, John", "_x", "ann", "bob+1@school.edu"]
    names += ["m\u00fcller", "mu\u0308ller", "\u5c71\u7530 \u592a\u90ce"]
    for student in names:
        (course.submitted / student / "a").mkdir(parents=True)
    (course.submitted / "zoe").mkdir()
    assert course.students("a") == sorted(names)
    assert course.students("b") == []
    assert course.passed_over("a") == []


def test_a_name_that_is_none_is_named_and_passed_over(tmp_path):
    course = find_course(write(tmp_path))
    wrong = ["-rf", "<b>", "a*", "a\u202eb", "ann ", "x[1]", "{student_id}", "a\nb"]
    for student in [*wrong, ".hidden"]:
        (course.submitted / student / "a").mkdir(parents=True)
    assert course.students("a") == []
    assert [line.partition(" is passed over")[0] for line in course.passed_over("a")] == [
        f"submitted/{name!a}/a" for name in sorted(wrong)
    ]
    assert course.passed_over("b") == []


@pytest.mark.parametrize(
    "structure", ["{student_id}/{nbgrader_step}/{assignment_id}", "{nbgrader_step}/{assignment_id}/{student_id}"]
)
def test_folders_that_lie_otherwise_are_refused_in_one_line(tmp_path, structure):
    config = f"c = get_config()\nc.CourseDirectory.directory_structure = {structure!r}\n"
    with pytest.raises(CourseError, match=r"directory_structure.*take that line out") as caught:
        find_course(write(tmp_path, config))
    assert "\n" not in str(caught.value)
    same = "c = get_config()\nc.CourseDirectory.directory_structure = '{nbgrader_step}/{student_id}/{assignment_id}/'\n"
    assert find_course(write(tmp_path, same)).root == tmp_path


def test_every_limit_says_what_it_is_and_stands_in_the_courses_configuration():
    from pathlib import Path

    text = (Path(__file__).parents[3] / "nbgrader_config.py").read_text()
    for name, trait in Limits.class_own_traits(config=True).items():
        assert trait.help, name
        assert f"c.Limits.{name}" in text, name
