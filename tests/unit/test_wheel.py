"""The wheel and the sdist hold each file of the tree, and the digest of the engine sees each that decides marks."""

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from torchgrade.judge import environment

ROOT = Path(__file__).parents[2]


def build(kind, source, target):
    """The build backend itself, without pip and without a network."""
    target.mkdir()
    program = f"import sys, setuptools.build_meta as backend; backend.build_{kind}(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(target)], cwd=source, check=True, capture_output=True, timeout=120)
    (built,) = target.iterdir()
    return built


def below(folder):
    """Every file below it, through the link to the documents too, but pictures and what Python keeps for itself."""
    found = {
        str(Path(where, name).relative_to(folder.parent))
        for where, _, names in os.walk(folder, followlinks=True)
        for name in names
    }
    return {name for name in found if not re.search(r"__pycache__|\.ipynb_checkpoints|/docs/images/", name)}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the repository's files: a build leaves its own beside them."""
    copy = tmp_path_factory.mktemp("tree") / "source"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name, follow_symlinks=False)
    return copy


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    return build("wheel", tree, tmp_path_factory.mktemp("wheel") / "built")


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_holds_every_file_of_the_package(tree, wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert "torchgrade/judge/grading.ini" in held
    assert "torchgrade/docs/authoring.md" in held
    assert held == below(tree / "torchgrade")


def test_the_sdist_holds_every_file_of_the_repository_and_makes_the_same_wheel(tree, wheel, tmp_path):
    sdist = build("sdist", tree, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    (source,) = (tmp_path / "out").iterdir()
    files = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    made = {name for name in files if name.startswith(("build/", "torchgrade.egg-info/"))}
    assert files - made <= {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    with zipfile.ZipFile(build("wheel", source, tmp_path / "again")) as again, zipfile.ZipFile(wheel) as first:
        assert sorted(again.namelist()) == sorted(first.namelist())


def test_the_metadata_name_licence_authors_and_versions_of_python(metadata):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Author"] == "The torchgrade developers"
    assert metadata["Requires-Python"] == project["requires-python"]
    assert not metadata.get_all("Project-URL")


def test_the_description_links_to_nothing_that_a_package_index_lacks(metadata):
    described = metadata.get_payload()
    assert "pip install" in described
    assert not re.search(r"\]\(|<img", described)


@pytest.mark.parametrize("name", ["judge/grading.ini", "jail/inside/serve.py"])
def test_the_digest_of_the_engine_sees_every_file_that_decides_marks(tmp_path, monkeypatch, name):
    copy = shutil.copytree(ROOT / "torchgrade", tmp_path / "torchgrade", symlinks=True)
    monkeypatch.setattr(environment, "_PACKAGE", copy)
    before = environment.engine_digest.__wrapped__()
    with (copy / name).open("a") as file:
        file.write("# another\n")
    assert environment.engine_digest.__wrapped__() != before


@pytest.mark.parametrize("name", ["report/audit_document.py", "report/page.py", "audit/result.py", "jail/diagnose/doctor.py"])
def test_a_new_page_a_new_form_of_audits_and_a_new_doctor_regrade_nobody(tmp_path, monkeypatch, name):
    copy = shutil.copytree(ROOT / "torchgrade", tmp_path / "torchgrade", symlinks=True)
    monkeypatch.setattr(environment, "_PACKAGE", copy)
    before = environment.engine_digest.__wrapped__()
    with (copy / name).open("a") as file:
        file.write("# another\n")
    assert environment.engine_digest.__wrapped__() == before
