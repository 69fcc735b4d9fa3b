"""The project's own judged collections by name, their halves beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import SondeError
from evaluation.collection import Half, JudgedCollection, half_of, read_halves
from evaluation.collections import ncar, public, samples, typed
from evaluation.collections.fetching import Fetching, fetch_collection
from net.gate import Gate, GatePolicy
from sonde import __version__
from sonde.settings import Settings

CHECKOUT = Path(__file__).resolve().parents[3]
QUALITY = CHECKOUT / "tests" / "quality"

Say = Callable[[str], None]

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


def _unsaid(_text: str) -> None:
    """For callers that show no progress."""


def judged(
    name: str, shared: Path | None, half: Half | None, settings: Settings | None = None, say: Say = _unsaid
) -> JudgedCollection:
    """The collection of that name, or one half of it. With ``settings``, what is not on this machine is fetched.

    Raises SondeError where its files are not on this machine and cannot be fetched.
    """
    data = data_folder(name, shared, settings, say)
    if not QUALITY.is_dir():
        raise SondeError(f"{QUALITY} is missing: the judged collections need a checkout of Sonde.")
    collection = LOADERS[name](data)
    return half_of(collection, half, _halves(name)) if half is not None else collection


def data_folder(name: str, shared: Path | None, settings: Settings | None, say: Say = _unsaid) -> Path:
    """The folder with the collection's files: ``data`` in ``shared``, or the folder of what was fetched."""
    data = (shared or CHECKOUT.parent / "shared") / "data"
    mirrored = shared is None and settings is not None and settings.evaluation.mirror is not None
    if name.startswith("samples") or (data.is_dir() and not mirrored):
        return data
    if shared is not None or settings is None:
        raise SondeError(f"{data} is missing: name the folder of the shared data with --shared or SONDE_SHARED.")
    return fetch_collection(name, _fetching(settings, say))


def _fetching(settings: Settings, say: Say) -> Fetching:
    """Into the folder of `sonde up`'s state, by the gate."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset(settings.net.allowed_hosts), user_agent=f"Sonde/{__version__}"))
    mirror = settings.evaluation.mirror
    return Fetching(settings.stack.folder / "collections", gate, str(mirror).rstrip("/") if mirror else None, say)


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
