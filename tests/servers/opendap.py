"""An OPeNDAP server (DAP 2.0) of one small data set: a grid with a gap, packed counts, names of stations."""

from __future__ import annotations

import re
import struct
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

STEPS, LATITUDES, LONGITUDES = 40, tuple(60.0 - 5 * at for at in range(7)), tuple(5.0 * at for at in range(72))
HEADER = """Dataset {
    Grid {
      ARRAY:
        Float32 sst[time = 40][lat = 7][lon = 72];
      MAPS:
        Float64 time[time = 40];
        Float64 lat[lat = 7];
        Float64 lon[lon = 72];
    } sst;
    Float64 time[time = 40];
    Float64 lat[lat = 7];
    Float64 lon[lon = 72];
    Int16 gauges[time = 40];
    String station[n = 2];
    Sequence { Int32 id; } casts;
} sst%2Enc;
"""
ATTRIBUTES = """Attributes {
    sst { String long_name "Sea \\"skin\\" temperature"; String units "degC"; Float32 _FillValue -999; }
    time { String units "days since 2000-01-01 00:00:00.0"; String calendar "standard"; }
    lat { String units "degrees_north"; }
    lon { String units "degrees_east"; }
    gauges { Float64 scale_factor 0.5; Float64 add_offset 1; }
    NC_GLOBAL { String title "SST"; }
}
"""
_RANGE = re.compile(r"\[(\d+):(\d+):(\d+)\]")


def value_at(step: int, row: int, column: int) -> float:
    """A gap at the fourth step."""
    return -999.0 if step == 3 else step * 100 + row + column / 100


def answer_to(path: str, query: str) -> bytes | None:
    if path == "/thredds/dodsC/sst.nc.dds":
        return HEADER.encode()
    if path == "/thredds/dodsC/sst.nc.das":
        return ATTRIBUTES.encode()
    if path == "/thredds/dodsC/sst.nc.dods":
        parts = [_part(projection) for projection in unquote(query).split(",")]
        declared = "".join(text for text, _ in parts)
        return b"Dataset {\n" + declared.encode() + b"} sst;\nData:\n" + b"".join(values for _, values in parts)
    return None


def _part(projection: str) -> tuple[str, bytes]:
    name, *_ = projection.partition("[")
    ranges = [range(int(first), int(last) + 1, int(step)) for first, step, last in _RANGE.findall(projection)]
    axes = {"time": [1.5 * at for at in range(STEPS)], "lat": LATITUDES, "lon": LONGITUDES}
    if name == "sst":
        values = [value_at(step, row, column) for step in ranges[0] for row in ranges[1] for column in ranges[2]]
        shape = "".join(f"[{axis} = {len(each)}]" for axis, each in zip(axes, ranges, strict=True))
        maps = [_axis(axis, [axes[axis][at] for at in each]) for axis, each in zip(axes, ranges, strict=True)]
        text = f"Grid {{ ARRAY: Float32 sst{shape}; MAPS: {''.join(text for text, _ in maps)} }} sst;\n"
        return text, _array("f", values) + b"".join(values for _, values in maps)
    if name == "gauges":
        return f"Int16 gauges[time = {len(ranges[0])}];\n", _array("i", list(ranges[0]))
    if name == "station":
        names = [("Alpha", "B")[at].encode() for at in ranges[0]]
        texts = [struct.pack(">I", len(each)) + each + b"\0" * (-len(each) % 4) for each in names]
        return f"String station[n = {len(names)}];\n", struct.pack(">I", len(names)) + b"".join(texts)
    return _axis(name, [axes[name][at] for at in ranges[0]] if ranges else list(axes[name]))


def _axis(name: str, values: list[float]) -> tuple[str, bytes]:
    return f"Float64 {name}[{name} = {len(values)}];\n", _array("d", values)


def _array(form: str, values: list[float] | list[int]) -> bytes:
    return struct.pack(f">II{len(values)}{form}", len(values), len(values), *values)


class OpendapServer(BaseHTTPRequestHandler):
    """Everything else is an error in DAP's words."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        content = answer_to(path, query)
        self.send_response(404 if content is None else 200)
        self.end_headers()
        self.wfile.write(content or b'Error { code = 404; message = "no such file"; };')

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""
