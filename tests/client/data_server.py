"""A server of small data of each kind that the client opens: made in a folder, served over HTTP, OPeNDAP included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from flask import Flask, send_from_directory
from pydap.handlers.lib import BaseHandler
from pydap.model import BaseType, DatasetType
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from tests.live import serving

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
RAIN_MM = np.array([12.5, 0.0, 3.25])


@contextmanager
def data_server(folder: Path) -> Iterator[str]:
    """``/rain.zarr``, ``/rain.nc``, ``/rain.csv``, ``/item.json`` (STAC), ``/dodsC/rain`` (OPeNDAP): the same rain."""
    rain = xarray.Dataset({"rain": ("day", RAIN_MM)}, coords={"day": [1, 2, 3]})
    rain.to_zarr(folder / "rain.zarr", zarr_format=2, consolidated=True)
    rain.to_netcdf(folder / "rain.nc", engine="h5netcdf")
    (folder / "rain.csv").write_text("day,rain\n" + "".join(f"{n},{mm}\n" for n, mm in enumerate(RAIN_MM, 1)))
    named = {"data": {"href": "rain.nc", "type": "application/x-netcdf"}, "seen": {"href": "seen.png"}}
    (folder / "item.json").write_text(json.dumps({"type": "Feature", "stac_version": "1.1.0", "assets": named}))
    app = Flask("data")
    app.add_url_rule("/<path:name>", view_func=lambda name: send_from_directory(folder, name, conditional=True))
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/dodsC": _opendap()})  # type: ignore[method-assign]
    with serving(app) as address:
        yield address


def _opendap() -> Wsgi:
    made = DatasetType("rain")
    made["day"] = BaseType("day", np.array([1, 2, 3]), dims=["day"])
    made["rain"] = BaseType("rain", RAIN_MM, dims=["day"])
    handler: Wsgi = BaseHandler(made)
    return handler
