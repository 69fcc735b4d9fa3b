"""The project's own judged collections by name, their halves beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import SondeError
from evaluation.collection import Half, JudgedCollection, half_of, read_halves
from evaluation.collections import ncar, public, samples, typed

CHECKOUT = Path(__file__).resolve().parents[3]
QUALITY = CHECKOUT / "tests" / "quality"

LOADERS: Mapping[str, Callable[[Path], JudgedCollection]] = {
    "cranfield": public.load_cranfield,
    "climate_fever": public.load_climate_fever,
    "pira": public.load_pira,
    "pira_pt": lambda data: public.load_pira(data, "pt"),
    "ncar": lambda data: ncar.load(data, QUALITY / "ncar"),
    "ncar_hand": lambda data: ncar.load_hand_checked(data, QUALITY / "ncar"),
    "pubmedqa": public.load_pubmedqa,
    "samples": lambda _: samples.load(CHECKOUT / "samples"),
    "typed": lambda data: typed.load(data, QUALITY / "typed", CHECKOUT / "samples"),
    "typed_quick": lambda data: typed.load_quick(data, QUALITY / "typed", CHECKOUT / "samples"),
    "samples_languages": lambda _: samples.load_languages(CHECKOUT / "samples"),
}


def judged(name: str, shared: Path | None, half: Half | None) -> JudgedCollection:
    """The collection of that name, or one half of it. Raises SondeError where its files are not on this machine."""
    data = (shared or CHECKOUT.parent / "shared") / "data"
    if not name.startswith("samples") and not data.is_dir():
        raise SondeError(f"{data} is missing: name the folder of the shared data with --shared or SONDE_SHARED.")
    if not QUALITY.is_dir():
        raise SondeError(f"{QUALITY} is missing: the judged collections need a checkout of Sonde.")
    collection = LOADERS[name](data)
    return half_of(collection, half, _halves(name)) if half is not None else collection


def halves_of(name: str) -> dict[str, Half | None]:
    """Each question's half, None for aside. Raises SondeError where a collection has no halves."""
    return read_halves(_halves(name))


def _halves(name: str) -> Path:
    """Raises SondeError where a collection has no halves."""
    own = name.removesuffix("_quick")
    path = (
        QUALITY / own / "split.tsv"
        if own in ("ncar", "typed")
        else QUALITY / "splits" / f"{name.removesuffix('_pt')}.tsv"
    )
    if not path.is_file():
        raise SondeError(f"{name} has no halves: all of it is for testing.")
    return path
