"""Runs on GPUs: what is asked of a Ray cluster, and a judge that has lost its GPU. Ray and CUDA are made up."""

import importlib.machinery
import multiprocessing
import sys
import types
from concurrent.futures import Future

import pytest
import torch
from small_course import make_course, submit

from torchgrade.course import Submission
from torchgrade.judge import environment
from torchgrade.notebook import NotebookFile
from torchgrade.runs import cluster, judging
from torchgrade.runs.reuse import read_submission
from torchgrade.runs.tasks import GradeSubmission


@pytest.fixture
def ray(monkeypatch):
    made = types.ModuleType("ray")
    made.__spec__ = importlib.machinery.ModuleSpec("ray", None)
    made.exceptions = types.SimpleNamespace(RayTaskError=RuntimeError, RayError=OSError)
    made.there = {"CPU": 16.0}
    made.asked = []
    made.init = lambda **_: None
    made.put = lambda content: content
    made.shutdown = lambda: None
    made.cluster_resources = lambda: made.there

    def remote(**options):
        def call(*_):
            made.asked.append(options)
            return types.SimpleNamespace(future=Future)

        return lambda _: types.SimpleNamespace(remote=call)

    made.remote = remote
    monkeypatch.setitem(sys.modules, "ray", made)
    return made


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path)


@pytest.fixture
def nodes(course, ray):
    return lambda: cluster._Nodes(course, "local", 100, jail=True)


def test_on_gpus_a_task_takes_one_and_as_many_run_as_there_are(nodes, ray, monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: True)
    ray.there = {"CPU": 16.0, "GPU": 3.0}
    made = nodes()
    assert made.places() == 3
    made.schedule(GradeSubmission(Submission("small", "ann"), NotebookFile("small.ipynb", b"")))
    assert ray.asked == [{"num_cpus": 1, "num_gpus": 1, "max_retries": 0}]


def test_without_them_none_is_taken(nodes, ray, monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: False)
    made = nodes()
    assert made.places() == 16
    made.schedule(GradeSubmission(Submission("small", "ann"), NotebookFile("small.ipynb", b"")))
    assert ray.asked == [{"num_cpus": 1, "num_gpus": 0, "max_retries": 0}]


def test_a_cluster_that_has_none_is_given_up_in_a_line(nodes, ray, monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: True)
    monkeypatch.setattr(cluster, "PATIENCE", -1.0)
    with pytest.raises(cluster.ClusterError, match="has had no GPU for"):
        nodes().places()


# ---- a judge that lost its GPU


def lose_gpu_and_do(folder, connection):
    from torchgrade.course import find_course

    torch.cuda.is_initialized = lambda: True
    judging.start(find_course(folder), jail=True)
    works = iter([True, False])

    def synchronize(*_):
        if not next(works):
            raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered")

    torch.cuda.synchronize = synchronize
    ann = Submission("small", "ann")
    task = GradeSubmission(ann, read_submission(judging._judge.course, ann))
    for _ in range(2):
        connection.send(judging.do(task).record.status.value)


def test_a_judge_whose_own_work_on_the_gpu_failed_ends_without_an_answer(course):
    submit(course, "ann")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    judge = context.Process(target=lose_gpu_and_do, args=(course.root, theirs))
    judge.start()
    theirs.close()
    assert ours.poll(60)
    assert ours.recv() == "final"
    with pytest.raises(EOFError):
        ours.recv()
    judge.join()
    assert judge.exitcode == 70
