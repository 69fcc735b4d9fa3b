"""Nobody is told to install a package that is neither ours nor a known dependency.

Other people own `sonde` and may take any name that we have not published. So a line that installs Sonde names a folder
of the checkout or a file of a release.
"""

from __future__ import annotations

import json
import tomllib

import pytest
from install_lines import FOREIGN, ROOT, foreign, locked, needed, of_registry, texts


def test_every_install_line_names_our_files_or_a_known_dependency() -> None:
    found = {str(file.relative_to(ROOT)): foreign(file.read_text("utf-8", "replace")) for file in texts()}
    assert {name: names for name, names in found.items() if names} == {}


def test_the_registrys_description_names_no_package_that_is_not_ours() -> None:
    assert of_registry(json.loads((ROOT / "server.json").read_text("utf-8"))) == []
    planted = {
        "packages": [{"registryType": "pypi", "identifier": "sonde"}, {"registryType": "oci", "identifier": "x/y"}]
    }
    assert of_registry(planted) == ["sonde", "x/y"]


def test_our_distributions_have_names_that_are_free() -> None:
    described = {
        name: tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder, name in (
            (".", "sonde-search"),
            ("sonde_client", "sonde-search-client"),
            ("lab", "sonde-search-lab"),
        )
    }
    assert {name: project["name"] for name, project in described.items()} == {name: name for name in described}


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("*.lock")))
def test_a_lock_has_only_what_our_dependencies_need(lock: str) -> None:
    assert sorted(locked((ROOT / lock).read_text("utf-8")) - needed() - FOREIGN.keys()) == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("run `pip install sonde`", ["sonde"]),
        ("pip install 'sonde[training]'", ["sonde[training]"]),
        ("$ .venv/bin/python -m pip install --upgrade sonde-search==0.2.0  # the service", ["sonde-search==0.2.0"]),
        ("uv pip install sonde-client[geo] && sonde up", ["sonde-client[geo]"]),
        ("uv pip install --python .venv/bin/python -r requirements.lock sonde_lab", ["sonde_lab"]),
        ("uv add sonde-search-client", ["sonde-search-client"]),
        ("uvx sonde mcp --url http://localhost:8080", ["sonde"]),
        ("uvx --from sonde-search sonde mcp", ["sonde-search"]),
        ("pipx install sonde", ["sonde"]),
        ("pipx run sonde-search", ["sonde-search"]),
        ("pip download \\\n  --no-deps sonde", ["sonde"]),
        ('raise ModelMissing(f"{what} needs PyTorch: pip install sonde[models]")', ["sonde[models]"]),
        ("npm install sonde-page", ["sonde-page"]),
        ("npx sonde-mcp", ["sonde-mcp"]),
        ("helm install sonde sonde/sonde --set broker.host=redis", ["sonde/sonde"]),
        ("helm -n geo upgrade --install sonde oci://registry.example.org/sonde", ["oci://registry.example.org/sonde"]),
        ("helm repo add sonde https://charts.example.org", ["https://charts.example.org"]),
        ('{"command": "uvx", "args": ["sonde", "mcp"]}', ["sonde"]),
        ('{"args": ["-y", "sonde-mcp"], "command": "npx"}', ["sonde-mcp"]),
    ],
)
def test_a_planted_line_is_found(line: str, names: list[str]) -> None:
    assert foreign(f"Before.\n{line}\nAfter.\n") == names


@pytest.mark.parametrize(
    "line",
    [
        "$ pip install './sonde_client[geo]'      # + geopandas: tables with geometries, CSV",
        "pip install ./sonde_search_client-0.2.0-py3-none-any.whl",
        "uv pip install --python .venv/bin/python --no-deps -e . -e sonde_client -e lab",
        '"$folder/python/bin/pip" install --quiet --no-index "$here"/wheels/sonde_search-*.whl',
        "# pip install xarray netcdf4 fsspec aiohttp",
        "RUN pip install --no-cache-dir uv==0.13.9 && python -m venv /opt/sonde",
        "`pip install` needs a network, `npm ci` too. Use `helm install` for the chart.",
        "helm install sonde helm/sonde --set elasticsearch.url=http://elasticsearch:9200 --set broker.host=redis",
        "helm -n geo upgrade --install sonde cluster/sonde-chart-*.tgz -f values.yaml",
        "helm upgrade --install operator elastic/eck-operator -n elastic-system --create-namespace",
        '{"command": "/path/to/sonde/.venv/bin/sonde", "args": ["mcp"]}',
    ],
)
def test_a_line_of_ours_or_of_a_known_dependency_is_left_alone(line: str) -> None:
    assert foreign(f"Before.\n{line}\nAfter.\n") == []


def test_a_planted_line_of_a_lock_is_found() -> None:
    planted = "numpy==2.4.0 \\\n    --hash=sha256:0\nsonde==0.2.0 \\\n    --hash=sha256:1\nreqests==1.0\n"
    assert sorted(locked(planted) - needed()) == ["reqests", "sonde"]
