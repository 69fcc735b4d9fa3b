"""The drawings of a PDF page: its rules, the outlines of its figures, and where its pictures are."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from indexer.documents.parse.model import Box, Rule, bounding_box
from indexer.documents.parse.pdf.glyphs import Frame

_MOST_OBJECTS = 20_000  # a map drawn cell by cell has more; its outline is known long before
_RULE_THICKNESS = 2.5


@dataclass(frozen=True, slots=True)
class Drawings:
    """``figures``: pictures and drawings with many strokes, smaller than the page; ``pictures``: all bitmaps."""

    rules: tuple[Rule, ...]
    figures: tuple[Box, ...]
    pictures: tuple[Box, ...]


def find_drawings(page: pdfium.PdfPage, frame: Frame) -> Drawings:
    """What is drawn on the page, in the coordinates of ``frame``."""
    rules: list[Rule] = []
    images: list[Box] = []
    strokes: list[tuple[Box, bool]] = []
    for number, page_object in enumerate(page.get_objects(max_depth=3)):
        if number >= _MOST_OBJECTS:
            break
        if page_object.type not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            continue
        outer_matrix = _outer(page_object)
        try:
            bounds = page_object.get_bounds()
        except pdfium.PdfiumError:
            continue
        box = frame.box(*(bounds if outer_matrix is None else outer_matrix.on_rect(*bounds)))
        if page_object.type == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(box)
            continue
        if max(box.width, box.height) <= _SHORTEST_RULE and page_object.type == raw.FPDF_PAGEOBJ_PATH:
            strokes.append((box, not _is_dot(box)))
            continue
        path_rules = _rules_of(page_object, box, frame, outer_matrix)
        rules += path_rules
        strokes.append((box, not path_rules))
    page_area_limit = 0.85 * frame.width * frame.height
    figures = [box for box in (*images, *_clusters(strokes)) if 400 < box.width * box.height < page_area_limit]
    return Drawings(
        tuple(rule for rule in rules if rule.box.is_finite),
        tuple(box for box in figures if box.is_finite),
        tuple(box for box in images if box.is_finite),
    )


def _outer(page_object: pdfium.PdfObject) -> pdfium.PdfMatrix | None:
    """The matrix from a form's coordinates (a drawing placed on the page as a unit) to the page's."""
    outer_matrix = None
    form = page_object.container
    while form is not None:
        outer_matrix = form.get_matrix() if outer_matrix is None else outer_matrix.multiply(form.get_matrix())
        form = form.container
    return outer_matrix


_SHORTEST_RULE = 5.0  # points: the border of a cell drawn alone
_MOST_SEGMENTS = 200  # of one path that can be a grid


def _rules_of(
    page_object: pdfium.PdfObject, box: Box, frame: Frame, outer_matrix: pdfium.PdfMatrix | None
) -> list[Rule]:
    """The rules in a path: the path itself if it is thin, or the sides of rectangles; none if a line is not straight
    and either horizontal or vertical.
    """
    if min(box.width, box.height) <= _RULE_THICKNESS:
        return [Rule(box)] if max(box.width, box.height) > _SHORTEST_RULE else []
    points = _points(page_object, outer_matrix)
    if points is None:
        return []
    rules = []
    for (x1, y1), (x2, y2) in points:
        side = frame.box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        if min(side.width, side.height) > 1.0:
            return []
        if max(side.width, side.height) > _SHORTEST_RULE:
            rules.append(Rule(side))
    return rules


def _is_dot(box: Box) -> bool:
    """Whether it is a dot as wide as a border, which some programs draw where borders meet. Map marks are larger."""
    return max(box.width, box.height) <= 1.5


def _points(
    page_object: pdfium.PdfObject, outer_matrix: pdfium.PdfMatrix | None
) -> list[tuple[tuple[float, float], tuple[float, float]]] | None:
    """The straight pieces of a path, in PDF coordinates; None if it has a curve or too many pieces."""
    count = raw.FPDFPath_CountSegments(page_object.raw) if page_object.type == raw.FPDF_PAGEOBJ_PATH else 0
    if not 2 <= count <= _MOST_SEGMENTS:
        return None
    matrix = page_object.get_matrix() if outer_matrix is None else page_object.get_matrix().multiply(outer_matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    pieces = []
    start_point = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(page_object.raw, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return None
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start_point = point
        else:
            pieces.append((last, point))
        last = point
        if raw.FPDFPathSegment_GetClose(segment):
            pieces.append((last, start_point))
    return pieces


_FEWEST_STROKES = 12
_NEAR_POINTS = 8.0


def _clusters(strokes: list[tuple[Box, bool]]) -> list[Box]:
    """Outlines of drawings: at least a dozen strokes that touch each other. They must not all be rules (flag False),
    because rules alone border a table or a text. The outline encloses the other strokes.
    """
    clusters: list[_Cluster] = []
    for box, is_free in sorted(strokes[:4000], key=lambda cluster: (cluster[0].top, cluster[0].left)):
        joined_cluster = _Cluster(box, box if is_free else None, 1)
        separate_clusters: list[_Cluster] = []
        for other in clusters:
            if joined_cluster.box.touches(other.box, _NEAR_POINTS):
                joined_cluster = joined_cluster.with_(other)
            else:
                separate_clusters.append(other)
        clusters = [*separate_clusters, joined_cluster]
    drawn_boxes = [
        cluster.drawn_box for cluster in clusters if cluster.count >= _FEWEST_STROKES and cluster.drawn_box is not None
    ]
    return [box for box in drawn_boxes if min(box.width, box.height) > 30]


@dataclass(frozen=True, slots=True)
class _Cluster:
    """``drawn_box``: the outline of all strokes that are not rules."""

    box: Box
    drawn_box: Box | None
    count: int

    def with_(self, cluster: _Cluster) -> _Cluster:
        drawn_boxes = [box for box in (self.drawn_box, cluster.drawn_box) if box is not None]
        return _Cluster(
            bounding_box((self.box, cluster.box)),
            bounding_box(drawn_boxes) if drawn_boxes else None,
            self.count + cluster.count,
        )
