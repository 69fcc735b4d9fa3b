"""``python -m lab.release``: makes the files of a release in one folder, and names and weighs them."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click

from core.errors import SondeError
from lab.release.files import Extra, bundle, chart, checksums, contents, image, news, packages
from sonde.cli.options import FOLDER, shown

_CHECKOUT = Path(__file__).resolve().parents[2]


@click.command()
@shown("--out", Path("dist"), type=FOLDER)
@shown("--tools", Path(".venv-tools/bin"), type=click.Path(path_type=Path))
@shown("--images/--no-images", True, "Build the image (root, Debian).")
@click.option("--models", is_flag=True, help="Build the image with PyTorch too, some 7 GB.")
@shown("--offline/--no-offline", True, "Make the offline bundle.")
def release(*, out: Path, tools: Path, images: bool, models: bool, offline: bool) -> None:
    """Make the files of a release: packages, chart, lists of contents, the news, images, offline bundle, checksums.

    Two runs on one commit make the same bytes, except where Debian changed a package of the image in between.
    """
    version = tomllib.loads((_CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    out.mkdir(parents=True, exist_ok=True)
    release_files = packages(_CHECKOUT, tools.absolute() / "uv", out)
    release_files += [chart(_CHECKOUT, out), *contents(_CHECKOUT, version, out), news(_CHECKOUT, version, out)]
    extras: tuple[Extra, ...] = ("", "models") if models else ("",)
    for extra in extras if images else ():
        _print_event("release.image", tag=f"{version} {extra}".strip())
        release_files.append(image(_CHECKOUT, version, extra, out))
    if offline:
        bundle_files = [
            file for file in release_files if file.suffix in (".whl", ".tgz") or file.name == f"sonde-{version}.oci.tar"
        ]
        release_files.append(bundle(_CHECKOUT, version, bundle_files, tools.absolute() / "pip", out, _print_event))
    release_files.append(checksums(release_files, out))
    for file in release_files:
        click.echo(f"{file.stat().st_size / 1e6:10.2f} MB  {file}")
    click.echo(f"\nWhat remains: git tag -s v{version} -m 'Sonde {version}' && git push origin v{version}")
    click.echo(".github/workflows/release.yml then builds these files again, signs and publishes them.")


def _print_event(event: str, **facts: object) -> None:
    if "done_bytes" not in facts:
        click.echo(" ".join([event, *(f"{name}={value}" for name, value in facts.items())]), err=True)


if __name__ == "__main__":
    try:
        release()
    except SondeError as error:
        sys.exit(str(error))
