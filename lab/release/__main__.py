"""``python -m lab.release``: makes the files of a release in one folder, and names and weighs them."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click

from core.errors import SondeError
from lab.release.files import Extra, bundle, chart, checksums, contents, image, news, packages

_CHECKOUT = Path(__file__).resolve().parents[2]


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("dist"), show_default=True)
@click.option("--tools", type=click.Path(path_type=Path), default=Path(".venv-tools/bin"), show_default=True)
@click.option("--images/--no-images", default=True, show_default=True, help="Build the image (root, Debian).")
@click.option("--models", is_flag=True, help="Build the image with PyTorch too, some 7 GB.")
@click.option("--offline/--no-offline", default=True, show_default=True, help="Make the offline bundle.")
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
        _say("release.image", tag=f"{version} {extra}".strip())
        release_files.append(image(_CHECKOUT, version, extra, out))
    if offline:
        bundle_files = [
            file for file in release_files if file.suffix in (".whl", ".tgz") or file.name == f"sonde-{version}.oci.tar"
        ]
        release_files.append(bundle(_CHECKOUT, version, bundle_files, tools.absolute() / "pip", out, _say))
    release_files.append(checksums(release_files, out))
    for file in release_files:
        click.echo(f"{file.stat().st_size / 1e6:10.2f} MB  {file}")
    click.echo("\nWhat remains. The first line starts .github/workflows/release.yml, which does the others:")
    for command in publishing_commands(version, out, images=images):
        click.echo(f"  {command}")


def publishing_commands(version: str, out: Path, *, images: bool = True) -> list[str]:
    """What publishes the files of ``out``, as lines of a shell; ``$REGISTRY`` is a registry with its owner."""
    return [
        f"git tag -s v{version} -m 'Sonde {version}' && git push origin v{version}",
        f"uv publish {out}/sonde_search*.whl {out}/sonde_search*.tar.gz",
        f"skopeo copy oci-archive:{out}/sonde-{version}.oci.tar docker://$REGISTRY/sonde:{version}"
        + ("" if images else "   # the image was left out: make release"),
        f"helm push {out}/sonde-chart-*.tgz oci://$REGISTRY/charts",
        f"gh release create v{version} {out}/* --verify-tag --notes-file {out}/CHANGELOG-{version}.md",
    ]


def _say(event: str, **facts: object) -> None:
    if "done_bytes" not in facts:
        click.echo(" ".join([event, *(f"{name}={value}" for name, value in facts.items())]), err=True)


if __name__ == "__main__":
    try:
        release()
    except SondeError as error:
        sys.exit(str(error))
