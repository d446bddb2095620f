"""Runs spread over a real Ray cluster: two nodes on this machine, one of which may be lost."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from small_course import make_course, submit, submit_killer

from torchgrade.course import find_course
from torchgrade.record import Results, Status

pytestmark = pytest.mark.cluster

pytest.importorskip("ray", reason="Ray is not installed: pip install 'torchgrade[ray]'")

TOOL = str(Path(sys.executable).parent / "torchgrade")
# Solutions that differ from the right ones, and the points they get.
CLASS = {
    "ann": ({}, 10),
    "bob": ({"double": "def double(x):\n    return 3 * x\n"}, 3),
    "cy": ({"double": None, "total": None}, 0),
    "dan": ({"double": "import os\nos._exit(0)\n"}, 3),
    "eve": ({"total": "def total(x):\n    return x.sum().round()\n"}, 9),
}
POINTS = {student: points for student, (_, points) in CLASS.items()}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("released"))
    for student, (solutions, _) in CLASS.items():
        submit(course, student, **solutions)
    subprocess.run([TOOL, "release", "small", "--no-audit"], cwd=course.root, check=True, capture_output=True)
    return course.root


@pytest.fixture
def course(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    return find_course(tmp_path)


@pytest.fixture(scope="module")
def head():
    """A cluster of one node with one processor."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    before = left_over()
    yield cluster
    cluster.shutdown()
    deadline = time.monotonic() + 10
    while (left := left_over() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left, "a course with its hidden graders stays behind on a node"


@pytest.fixture
def cluster(head):
    yield head
    for node in list(head.worker_nodes):
        head.remove_node(node)


def left_over():
    return set(Path(tempfile.gettempdir()).glob("torchgrade-course-*"))


def line(address, *options):
    return [TOOL, "grade", "small", "--ray", address, *options]


def grade(course, address, *options):
    return subprocess.run(line(address, *options), cwd=course.root, capture_output=True, text=True, check=False)


def points(course):
    return {record.student: record.points for record in Results(course.results).all("small")}


def test_two_nodes_give_the_marks_of_one_machine_and_races_run_where_they_may(course, cluster):
    cluster.add_node(num_cpus=1, resources={"race": 1})
    done = grade(course, cluster.address)
    assert done.returncode == 0, done.stderr
    assert points(course) == POINTS
    record = Results(course.results).read("ann", "small")
    assert record.environment["races"]["torch"] == record.environment["torch"]
    assert "0 to grade, 5 unchanged" in grade(course, cluster.address).stderr


def test_a_node_that_is_lost_costs_another_try_and_no_mark(course, cluster):
    second = cluster.add_node(num_cpus=1)
    events = course.results / "events.jsonl"
    run = subprocess.Popen(line(cluster.address), cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not events.exists() or events.read_text().count("begun") < 2:
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.1)
    cluster.remove_node(second, allow_graceful=False)
    said = run.communicate(timeout=120)[0]
    assert run.returncode == 0, said
    assert points(course) == POINTS


def test_a_submission_that_ends_its_judge_each_time_is_named_and_holds_up_nobody(course, cluster):
    submit_killer(course, "mal")
    done = grade(course, cluster.address)
    assert done.returncode == 1
    lost, left_open = [text for text in done.stderr.splitlines() if text.startswith("Problem")]
    assert "mal: its judge, or the node that it ran on, ended unexpectedly" in lost
    assert "left ungraded: mal" in left_open
    assert points(course) == {**POINTS, "mal": 0}
    assert Results(course.results).read("mal", "small").status is Status.UNGRADED


def test_an_address_where_no_cluster_is_is_one_line(course):
    done = grade(course, "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: no Ray cluster answers at 127.0.0.1:1")
    assert points(course) == {}
