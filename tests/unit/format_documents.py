"""One data set as every standard writes it, all that a standard can say: for tests, written here."""

# ruff: noqa: E501  # documents stand as they are written

from __future__ import annotations

import json
from typing import Any

from indexer.formats.registry import separate
from indexer.formats.survey import Survey, survey_of
from indexer.raw import RawPage, RawRecord
from tests.unit.iso19139_document import NAMESPACES

TITLE = "Rain gauges of the Limpopo"
ABSTRACT = "Daily sums of 120 gauges in the basin of the Limpopo."
DOI = "10.5072/limpopo.rain"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
DATA = "https://data.example.org/rain.nc"
PAGE = "https://data.example.org/rain"
PLATFORM, INSTRUMENT, PROJECT, VARIABLE = "GAUGES", "TB3", "ZA-RAIN", "rainfall"
RING = [[26, -26], [33, -26], [33, -22], [29, -21], [26, -22], [26, -26]]
POSITIONS = " ".join(f"{longitude} {latitude}" for longitude, latitude in RING)
GEOJSON = {"type": "Polygon", "coordinates": [RING]}
WKT = "POLYGON((26 -26, 33 -26, 33 -22, 29 -21, 26 -22, 26 -26))"


def _iso19139() -> bytes:
    def text(name: str, value: str) -> str:
        return f"<gmd:{name}><gco:CharacterString>{value}</gco:CharacterString></gmd:{name}>"

    def code(name: str, kind: str, value: str) -> str:
        return f'<gmd:{name}><gmd:{kind} codeList="#{kind}" codeListValue="{value}"/></gmd:{name}>'

    def cited(title: str, inner: str = "") -> str:
        return f"<gmd:CI_Citation>{text('title', title)}{inner}</gmd:CI_Citation>"

    date = f"<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2020-03-01</gco:Date></gmd:date>{code('dateType', 'CI_DateTypeCode', 'publication')}</gmd:CI_Date></gmd:date>"
    identifier = f"<gmd:identifier><gmd:MD_Identifier>{text('code', 'doi:' + DOI)}</gmd:MD_Identifier></gmd:identifier>"
    party = (
        f"<gmd:citedResponsibleParty><gmd:CI_ResponsibleParty>{text('individualName', 'Thandi Nkosi')}"
        f"{code('role', 'CI_RoleCode', 'author')}</gmd:CI_ResponsibleParty></gmd:citedResponsibleParty>"
    )
    edges = "".join(
        f"<gmd:{name}><gco:Decimal>{value}</gco:Decimal></gmd:{name}>"
        for name, value in (
            ("westBoundLongitude", 26), ("eastBoundLongitude", 33),
            ("southBoundLatitude", -26), ("northBoundLatitude", -21),
        )
    )  # fmt: skip
    polygon = (
        "<gmd:EX_BoundingPolygon><gmd:polygon><gml:Polygon gml:id='p'><gml:exterior><gml:LinearRing>"
        f"<gml:posList>{POSITIONS}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gmd:polygon>"
        "</gmd:EX_BoundingPolygon>"
    )
    period = (
        "<gml:TimePeriod gml:id='t'><gml:beginPosition>1990-01-01</gml:beginPosition><gml:endPosition>2019-12-31"
        "</gml:endPosition><gml:timeInterval unit='day'>1</gml:timeInterval></gml:TimePeriod>"
    )
    vertical = (
        "<gmd:verticalElement><gmd:EX_VerticalExtent><gmd:minimumValue><gco:Real>120</gco:Real></gmd:minimumValue>"
        "<gmd:maximumValue><gco:Real>1500</gco:Real></gmd:maximumValue></gmd:EX_VerticalExtent></gmd:verticalElement>"
    )
    extent = (
        f"<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>{edges}"
        f"</gmd:EX_GeographicBoundingBox></gmd:geographicElement><gmd:geographicElement>{polygon}</gmd:geographicElement>"
        f"<gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>{period}</gmd:extent></gmd:EX_TemporalExtent>"
        f"</gmd:temporalElement>{vertical}</gmd:EX_Extent></gmd:extent>"
    )
    keywords = f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{text('keyword', 'in situ observations')}</gmd:MD_Keywords></gmd:descriptiveKeywords>"
    keywords += "".join(
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{text('keyword', word)}{code('type', 'MD_KeywordTypeCode', kind)}"
        "</gmd:MD_Keywords></gmd:descriptiveKeywords>"
        for kind, word in (("platform", PLATFORM), ("instrument", INSTRUMENT), ("project", PROJECT))
    )
    content = (
        "<gmd:contentInfo><gmd:MD_ImageDescription><gmd:dimension><gmd:MD_Band><gmd:sequenceIdentifier><gco:MemberName>"
        f"<gco:aName><gco:CharacterString>{VARIABLE}</gco:CharacterString></gco:aName></gco:MemberName></gmd:sequenceIdentifier>"
        "<gmd:units xlink:href='http://units.example.org/all.xml#mm'/></gmd:MD_Band></gmd:dimension><gmd:processingLevelCode>"
        f"<gmd:RS_Identifier>{text('code', 'Level 2')}</gmd:RS_Identifier></gmd:processingLevelCode>"
        "</gmd:MD_ImageDescription></gmd:contentInfo>"
    )
    terms = (
        f"<gmd:resourceConstraints><gmd:MD_LegalConstraints>{text('useLimitation', LICENCE)}"
        f"{code('accessConstraints', 'MD_RestrictionCode', 'restricted')}</gmd:MD_LegalConstraints></gmd:resourceConstraints>"
    )
    resolution = (
        "<gmd:spatialResolution><gmd:MD_Resolution><gmd:distance><gco:Distance uom='m'>500</gco:Distance></gmd:distance>"
        "</gmd:MD_Resolution></gmd:spatialResolution><gmd:spatialResolution><gmd:MD_Resolution><gmd:equivalentScale>"
        "<gmd:MD_RepresentativeFraction><gmd:denominator><gco:Integer>50000</gco:Integer></gmd:denominator>"
        "</gmd:MD_RepresentativeFraction></gmd:equivalentScale></gmd:MD_Resolution></gmd:spatialResolution>"
    )
    distribution = (
        "<gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format>"
        f"{text('name', 'NetCDF')}</gmd:MD_Format></gmd:distributionFormat><gmd:transferOptions>"
        f"<gmd:MD_DigitalTransferOptions><gmd:onLine><gmd:CI_OnlineResource><gmd:linkage><gmd:URL>{DATA}</gmd:URL>"
        "</gmd:linkage></gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions></gmd:transferOptions>"
        "</gmd:MD_Distribution></gmd:distributionInfo>"
    )
    lineage = (
        f"<gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:lineage><gmd:LI_Lineage>{text('statement', 'Checked by hand.')}"
        f"<gmd:processStep><gmd:LI_ProcessStep>{text('description', 'Outliers removed.')}</gmd:LI_ProcessStep></gmd:processStep>"
        f"<gmd:source><gmd:LI_Source><gmd:sourceCitation>{cited('Paper sheets')}</gmd:sourceCitation></gmd:LI_Source></gmd:source>"
        "</gmd:LI_Lineage></gmd:lineage></gmd:DQ_DataQuality></gmd:dataQualityInfo>"
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<gmd:MD_Metadata {NAMESPACES}>{text("fileIdentifier", "za.rain.1")}'
        f"{text('language', 'eng')}{text('parentIdentifier', 'za.rain')}{code('hierarchyLevel', 'MD_ScopeCode', 'series')}"
        f"<gmd:dateStamp><gco:Date>2021-01-01</gco:Date></gmd:dateStamp>"
        f"<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation>"
        f"{cited(TITLE, text('alternateTitle', 'LIMPOPO-RAIN') + date + text('edition', '2') + identifier + party)}</gmd:citation>"
        f"{text('abstract', ABSTRACT)}{keywords}{terms}{resolution}<gmd:topicCategory><gmd:MD_TopicCategoryCode>"
        f"climatologyMeteorologyAtmosphere</gmd:MD_TopicCategoryCode></gmd:topicCategory>{extent}"
        f"</gmd:MD_DataIdentification></gmd:identificationInfo>{content}{distribution}{lineage}</gmd:MD_Metadata>"
    ).encode()


def _iso19115_3() -> bytes:
    def text(name: str, value: str) -> str:
        return f"<{name}><gco:CharacterString>{value}</gco:CharacterString></{name}>"

    def code(name: str, kind: str, value: str) -> str:
        return f'<{name}><{kind} codeList="#c" codeListValue="{value}"/></{name}>'

    names = {
        "mdb": "mdb/2.0", "cit": "cit/2.0", "mri": "mri/1.0", "mcc": "mcc/1.0", "gco": "gco/1.0", "gex": "gex/1.0",
        "lan": "lan/1.0", "mrl": "mrl/2.0", "mrd": "mrd/1.0", "mco": "mco/1.0", "mrc": "mrc/2.0", "mac": "mac/2.0",
    }  # fmt: skip
    spaces = " ".join(f'xmlns:{p}="http://standards.iso.org/iso/19115/-3/{v}"' for p, v in names.items())
    edges = "".join(
        f"<gex:{name}><gco:Decimal>{value}</gco:Decimal></gex:{name}>"
        for name, value in (
            ("westBoundLongitude", 26), ("eastBoundLongitude", 33),
            ("southBoundLatitude", -26), ("northBoundLatitude", -21),
        )
    )  # fmt: skip
    return f"""<?xml version="1.0"?>
<mdb:MD_Metadata {spaces} xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
 <mdb:metadataIdentifier><mcc:MD_Identifier>{text("mcc:code", "za.rain.1")}</mcc:MD_Identifier></mdb:metadataIdentifier>
 <mdb:defaultLocale><lan:PT_Locale>{code("lan:language", "lan:LanguageCode", "eng")}</lan:PT_Locale></mdb:defaultLocale>
 <mdb:parentMetadata><cit:CI_Citation>{text("cit:title", "za.rain")}</cit:CI_Citation></mdb:parentMetadata>
 <mdb:metadataScope><mdb:MD_MetadataScope>{code("mdb:resourceScope", "mcc:MD_ScopeCode", "series")}
 </mdb:MD_MetadataScope></mdb:metadataScope>
 <mdb:dateInfo><cit:CI_Date><cit:date><gco:Date>2021-01-01</gco:Date></cit:date>
  {code("cit:dateType", "cit:CI_DateTypeCode", "revision")}</cit:CI_Date></mdb:dateInfo>
 <mdb:identificationInfo><mri:MD_DataIdentification>
  <mri:citation><cit:CI_Citation>{text("cit:title", TITLE)}{text("cit:alternateTitle", "LIMPOPO-RAIN")}
   <cit:date><cit:CI_Date><cit:date><gco:Date>2020-03-01</gco:Date></cit:date>
    {code("cit:dateType", "cit:CI_DateTypeCode", "publication")}</cit:CI_Date></cit:date>{text("cit:edition", "2")}
   <cit:identifier><mcc:MD_Identifier>{text("mcc:code", "https://doi.org/" + DOI)}</mcc:MD_Identifier></cit:identifier>
   <cit:citedResponsibleParty><cit:CI_Responsibility>{code("cit:role", "cit:CI_RoleCode", "author")}
    <cit:party><cit:CI_Individual>{text("cit:name", "Thandi Nkosi")}</cit:CI_Individual></cit:party>
    <cit:party><cit:CI_Organisation>{text("cit:name", "Weather Office")}</cit:CI_Organisation></cit:party>
   </cit:CI_Responsibility></cit:citedResponsibleParty></cit:CI_Citation></mri:citation>
  {text("mri:abstract", ABSTRACT)}
  <mri:spatialResolution><mri:MD_Resolution><mri:distance><gco:Distance uom="m">500</gco:Distance></mri:distance>
  </mri:MD_Resolution></mri:spatialResolution>
  <mri:spatialResolution><mri:MD_Resolution><mri:equivalentScale><mri:MD_RepresentativeFraction><mri:denominator>
   <gco:Integer>50000</gco:Integer></mri:denominator></mri:MD_RepresentativeFraction></mri:equivalentScale>
  </mri:MD_Resolution></mri:spatialResolution>
  <mri:temporalResolution><gco:TM_PeriodDuration>P1D</gco:TM_PeriodDuration></mri:temporalResolution>
  <mri:topicCategory><mri:MD_TopicCategoryCode>climatologyMeteorologyAtmosphere</mri:MD_TopicCategoryCode></mri:topicCategory>
  <mri:extent><gex:EX_Extent><gex:geographicElement><gex:EX_GeographicBoundingBox>{edges}</gex:EX_GeographicBoundingBox>
   </gex:geographicElement><gex:geographicElement><gex:EX_BoundingPolygon><gex:polygon><gml:Polygon gml:id="p">
   <gml:exterior><gml:LinearRing><gml:posList>{POSITIONS}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>
   </gex:polygon></gex:EX_BoundingPolygon></gex:geographicElement><gex:temporalElement><gex:EX_TemporalExtent><gex:extent>
   <gml:TimePeriod gml:id="t"><gml:beginPosition>1990-01-01</gml:beginPosition><gml:endPosition>2019-12-31</gml:endPosition>
   </gml:TimePeriod></gex:extent></gex:EX_TemporalExtent></gex:temporalElement><gex:verticalElement><gex:EX_VerticalExtent>
   <gex:minimumValue><gco:Real>120</gco:Real></gex:minimumValue><gex:maximumValue><gco:Real>1500</gco:Real>
   </gex:maximumValue></gex:EX_VerticalExtent></gex:verticalElement></gex:EX_Extent></mri:extent>
  <mri:descriptiveKeywords><mri:MD_Keywords>{text("mri:keyword", "in situ observations")}</mri:MD_Keywords></mri:descriptiveKeywords>
  <mri:resourceConstraints><mco:MD_LegalConstraints>{code("mco:accessConstraints", "mco:MD_RestrictionCode", "restricted")}
   <mco:reference><cit:CI_Citation>{text("cit:title", "CC BY")}<cit:onlineResource><cit:CI_OnlineResource>
   {text("cit:linkage", LICENCE)}</cit:CI_OnlineResource></cit:onlineResource></cit:CI_Citation></mco:reference>
   </mco:MD_LegalConstraints></mri:resourceConstraints>
 </mri:MD_DataIdentification></mdb:identificationInfo>
 <mdb:contentInfo><mrc:MD_CoverageDescription><mrc:processingLevelCode><mcc:MD_Identifier>{text("mcc:code", "L2")}
  </mcc:MD_Identifier></mrc:processingLevelCode><mrc:attributeGroup><mrc:MD_AttributeGroup><mrc:attribute><mrc:MD_SampleDimension>
  <mrc:name><mcc:MD_Identifier>{text("mcc:code", VARIABLE)}</mcc:MD_Identifier></mrc:name><mrc:units><gml:BaseUnit gml:id="u">
  <gml:identifier codeSpace="unknown"/><gml:name>mm</gml:name></gml:BaseUnit></mrc:units></mrc:MD_SampleDimension></mrc:attribute>
  </mrc:MD_AttributeGroup></mrc:attributeGroup></mrc:MD_CoverageDescription></mdb:contentInfo>
 <mdb:acquisitionInformation><mac:MI_AcquisitionInformation>
  <mac:operation><mac:MI_Operation><mac:identifier><mcc:MD_Identifier>{text("mcc:code", PROJECT)}</mcc:MD_Identifier>
  </mac:identifier></mac:MI_Operation></mac:operation><mac:platform><mac:MI_Platform><mac:identifier><mcc:MD_Identifier>
  {text("mcc:code", PLATFORM)}</mcc:MD_Identifier></mac:identifier><mac:instrument><mac:MI_Instrument><mac:identifier>
  <mcc:MD_Identifier>{text("mcc:code", INSTRUMENT)}</mcc:MD_Identifier></mac:identifier></mac:MI_Instrument></mac:instrument>
  </mac:MI_Platform></mac:platform></mac:MI_AcquisitionInformation></mdb:acquisitionInformation>
 <mdb:distributionInfo><mrd:MD_Distribution><mrd:distributionFormat><mrd:MD_Format><mrd:formatSpecificationCitation>
  <cit:CI_Citation>{text("cit:title", "NetCDF")}</cit:CI_Citation></mrd:formatSpecificationCitation></mrd:MD_Format>
  </mrd:distributionFormat><mrd:transferOptions><mrd:MD_DigitalTransferOptions><mrd:onLine><cit:CI_OnlineResource>
  {text("cit:linkage", DATA)}</cit:CI_OnlineResource></mrd:onLine></mrd:MD_DigitalTransferOptions></mrd:transferOptions>
 </mrd:MD_Distribution></mdb:distributionInfo>
 <mdb:resourceLineage><mrl:LI_Lineage>{text("mrl:statement", "Checked by hand.")}
  <mrl:source><mrl:LI_Source><mrl:sourceCitation><cit:CI_Citation>{text("cit:title", "Paper sheets")}</cit:CI_Citation>
  </mrl:sourceCitation></mrl:LI_Source></mrl:source>
  <mrl:processStep><mrl:LI_ProcessStep>{text("mrl:description", "Outliers removed.")}</mrl:LI_ProcessStep></mrl:processStep>
 </mrl:LI_Lineage></mdb:resourceLineage>
</mdb:MD_Metadata>""".encode()


def _fgdc() -> bytes:
    ring = "".join(f"<grngpoin><gringlat>{lat}</gringlat><gringlon>{lon}</gringlon></grngpoin>" for lon, lat in RING)
    return f"""<?xml version="1.0"?>
<!DOCTYPE metadata SYSTEM "http://www.fgdc.gov/metadata/fgdc-std-001-1998.dtd">
<metadata><idinfo><datsetid>za.rain.1</datsetid><citation><citeinfo><origin>Thandi Nkosi</origin><pubdate>20200301</pubdate>
<title>{TITLE}</title><edition>2</edition><geoform>map</geoform><othercit>doi:{DOI}</othercit><onlink>{PAGE}</onlink>
<lworkcit><citeinfo><title>za.rain</title></citeinfo></lworkcit></citeinfo></citation>
<descript><abstract>{ABSTRACT}</abstract><purpose>Floods.</purpose><langdata>eng</langdata></descript>
<timeperd><timeinfo><rngdates><begdate>19900101</begdate><enddate>20191231</enddate></rngdates></timeinfo></timeperd>
<spdom><bounding><westbc>26</westbc><eastbc>33</eastbc><northbc>-21</northbc><southbc>-26</southbc>
<boundalt><altmin>120</altmin><altmax>1500</altmax><altunits>meters</altunits></boundalt></bounding>
<dsgpoly><dsgpolyo>{ring}</dsgpolyo></dsgpoly></spdom>
<keywords><theme><themekt>None</themekt><themekey>in situ observations</themekey></theme>
<theme><themekt>ISO 19115 Topic Category</themekt><themekey>climatologyMeteorologyAtmosphere</themekey></theme>
<theme><themekt>GCMD Projects</themekt><themekey>{PROJECT}</themekey></theme>
<place><placekt>GNIS</placekt><placekey>Limpopo</placekey></place></keywords>
<plainsid><platflnm>{PLATFORM}</platflnm><instflnm>{INSTRUMENT}</instflnm></plainsid>
<accconst>Access is restricted.</accconst><useconst>{LICENCE}</useconst></idinfo>
<eainfo><detailed><attr><attrlabl>OBJECTID_1</attrlabl></attr><attr><attrlabl>{VARIABLE}</attrlabl><attrdomv><rdom>
<attrunit>mm</attrunit></rdom></attrdomv></attr></detailed></eainfo>
<dataqual><lineage><srcinfo><srccite><citeinfo><title>Paper sheets</title></citeinfo></srccite><srcscale>50000</srcscale></srcinfo>
<procstep><procdesc>Outliers removed.</procdesc></procstep></lineage></dataqual>
<spdoinfo><rastinfo><rasttype>Grid Cell</rasttype></rastinfo></spdoinfo>
<spref><horizsys><planar><planci><coordrep><absres>500</absres><ordres>500</ordres></coordrep><plandu>meters</plandu></planci>
</planar></horizsys></spref>
<distinfo><distrib><cntinfo><cntorgp><cntorg>Weather Office</cntorg></cntorgp></cntinfo></distrib><stdorder><digform><digtinfo>
<formname>NetCDF</formname></digtinfo><digtopt><onlinopt><computer><networka><networkr>{DATA}</networkr></networka></computer>
</onlinopt></digtopt></digform></stdorder></distinfo><metainfo><metd>20210101</metd></metainfo></metadata>""".encode()


def _dublin_core() -> bytes:
    return f"""<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>za.rain.1</dc:identifier><dc:identifier>https://doi.org/{DOI}</dc:identifier>
 <dc:title>{TITLE}</dc:title><dct:alternative>LIMPOPO-RAIN</dct:alternative><dc:description>{ABSTRACT}</dc:description>
 <dc:language>eng</dc:language><dc:type>Collection</dc:type><dc:subject>in situ observations</dc:subject>
 <dc:subject scheme="GCMD Platforms">{PLATFORM}</dc:subject><dc:subject scheme="GCMD Instruments">{INSTRUMENT}</dc:subject>
 <dc:subject scheme="GCMD Projects">{PROJECT}</dc:subject><dc:subject scheme="CF variables">{VARIABLE}</dc:subject>
 <dc:creator>Thandi Nkosi</dc:creator><dc:publisher>Weather Office</dc:publisher><dc:date>2020-03-01</dc:date>
 <dc:coverage>westlimit=26; southlimit=-26; eastlimit=33; northlimit=-21</dc:coverage><dct:spatial>{WKT}</dct:spatial>
 <dct:temporal>start=1990-01-01; end=2019-12-31; scheme=W3C-DTF</dct:temporal><dc:format>NetCDF</dc:format>
 <dct:license>{LICENCE}</dct:license><dc:rights>Restricted</dc:rights><dc:source>Paper sheets</dc:source>
 <dct:provenance>Checked by hand.</dct:provenance><dct:isPartOf>za.rain</dct:isPartOf><dc:relation>{PAGE}</dc:relation>
</oai_dc:dc>""".encode()


def _dcat() -> bytes:
    return f"""@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix locn: <http://www.w3.org/ns/locn#> .
@prefix gsp: <http://www.opengis.net/ont/geosparql#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix geodcat: <http://data.europa.eu/930/> .
<https://data.example.org/id/rain> a dcat:DatasetSeries ; dcat:version "2" ;
  dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf geodcat:spatialResolutionAsScale ; dqv:value 0.00002 ] ;
  dct:identifier "za.rain.1", "https://doi.org/{DOI}" ; dct:title "Pluviomètres du Limpopo"@fr, "{TITLE}"@en ;
  dct:description "{ABSTRACT}"@en, "Sommes quotidiennes."@fr ; dcat:keyword "in situ observations"@en ;
  dct:subject [ a skos:Concept ; skos:prefLabel "{PLATFORM}" ; skos:inScheme [ skos:prefLabel "GCMD Platforms" ] ],
    [ a skos:Concept ; skos:prefLabel "{INSTRUMENT}" ; skos:inScheme [ skos:prefLabel "GCMD Instruments" ] ],
    [ a skos:Concept ; skos:prefLabel "{VARIABLE}" ; skos:inScheme [ skos:prefLabel "Parameters" ] ],
    [ a skos:Concept ; skos:prefLabel "Level 2" ; skos:inScheme [ skos:prefLabel "Processing levels" ] ] ;
  dct:alternative "LIMPOPO-RAIN" ;
  dct:language <http://publications.europa.eu/resource/authority/language/ENG> ;
  dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> ;
  dct:creator [ a foaf:Person ; foaf:name "Thandi Nkosi" ] ;
  dcat:contactPoint [ a vcard:Kind ; vcard:fn "Desk" ; vcard:hasEmail <mailto:desk@example.org> ] ;
  dct:spatial [ a dct:Location ; dcat:bbox "{WKT}"^^gsp:wktLiteral ; locn:geometry '{json.dumps(GEOJSON)}'^^gsp:geoJSONLiteral ] ;
  dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "1990-01-01"^^xsd:date ; dcat:endDate "2019-12-31"^^xsd:date ] ;
  dcat:spatialResolutionInMeters 500.0 ; dcat:temporalResolution "P1D"^^xsd:duration ;
  dct:provenance [ a dct:ProvenanceStatement ; rdfs:label "Checked by hand." ] ; prov:wasDerivedFrom <https://example.org/paper> ;
  prov:wasGeneratedBy [ a prov:Activity ; rdfs:label "Outliers removed." ], [ a foaf:Project ; rdfs:label "{PROJECT}" ] ;
  dct:accessRights <http://publications.europa.eu/resource/authority/access-right/RESTRICTED>, "Ask the office." ;
  dct:issued "2020-03-01"^^xsd:date ; dct:isPartOf <https://data.example.org/id/za> ; dcat:landingPage <{PAGE}> ;
  dcat:distribution [ a dcat:Distribution ; dcat:downloadURL <{DATA}> ; dct:license <{LICENCE}> ; dct:format "NetCDF" ] .
""".encode()


def _datacite() -> bytes:
    corners = "".join(
        f"<polygonPoint><pointLatitude>{lat}</pointLatitude><pointLongitude>{lon}</pointLongitude></polygonPoint>"
        for lon, lat in RING
    )
    return f"""<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">{DOI}</identifier>
 <creators><creator><creatorName nameType="Personal">Thandi Nkosi</creatorName></creator></creators>
 <titles><title>{TITLE}</title><title titleType="AlternativeTitle">LIMPOPO-RAIN</title></titles>
 <publisher>Weather Office</publisher><publicationYear>2020</publicationYear><language>en</language>
 <resourceType resourceTypeGeneral="Collection">Gauges</resourceType><subjects><subject>in situ observations</subject>
 <subject subjectScheme="GCMD Platforms">{PLATFORM}</subject><subject subjectScheme="GCMD Instruments">{INSTRUMENT}</subject>
 <subject subjectScheme="GCMD Projects">{PROJECT}</subject><subject subjectScheme="Parameters">{VARIABLE}</subject></subjects>
 <dates><date dateType="Issued">2020-03-01</date><date dateType="Collected">1990-01-01/2019-12-31</date></dates>
 <relatedIdentifiers><relatedIdentifier relatedIdentifierType="URL" relationType="IsDerivedFrom">https://example.org/paper
 </relatedIdentifier><relatedIdentifier relatedIdentifierType="DOI" relationType="IsPartOf">10.5072/za.rain</relatedIdentifier>
 </relatedIdentifiers><formats><format>NetCDF</format></formats><version>2</version>
 <rightsList><rights rightsURI="{LICENCE}">CC BY 4.0</rights><rights rightsURI="info:eu-repo/semantics/restrictedAccess"/></rightsList>
 <descriptions><description descriptionType="Abstract">{ABSTRACT}</description>
 <description descriptionType="Methods">Checked by hand.</description></descriptions>
 <geoLocations><geoLocation><geoLocationPlace>Limpopo</geoLocationPlace><geoLocationPolygon>{corners}</geoLocationPolygon>
 </geoLocation></geoLocations></resource>""".encode()


def _stac() -> bytes:
    return _json(
        {
            "type": "Feature",
            "stac_version": "1.0.0",
            "id": "za.rain.1",
            "collection": "za.rain",
            "geometry": GEOJSON,
            "bbox": [26, -26, 33, -21],
            "properties": {
                "title": TITLE,
                "version": "2",
                "description": ABSTRACT,
                "keywords": ["in situ observations"],
                "start_datetime": "1990-01-01T00:00:00Z",
                "end_datetime": "2019-12-31T23:59:59Z",
                "datetime": None,
                "created": "2020-01-01T00:00:00Z",
                "published": "2020-03-01T00:00:00Z",
                "license": "CC-BY-4.0",
                "gsd": 500,
                "cube:dimensions": {"t": {"type": "temporal", "extent": [None, None], "step": "P1D"}},
                "language": {"code": "en"},
                "sci:doi": DOI,
                "providers": [{"name": "Weather Office", "roles": ["producer"]}],
                "processing:lineage": "Checked by hand.",
                "processing:software": {"qc": "1.2"},
                "processing:level": "L2",
                "product:type": "LIMPOPO-RAIN",
                "platform": PLATFORM,
                "instruments": [INSTRUMENT],
                "osc:project": PROJECT,
                "cube:variables": {VARIABLE: {"dimensions": ["t"], "type": "data", "unit": "mm"}},
            },
            "links": [
                {"rel": "derived_from", "href": "https://example.org/paper"},
                {"rel": "about", "href": PAGE},
            ],
            "assets": {"data": {"href": DATA, "type": "application/x-netcdf", "roles": ["data"]}},
        }
    )


def _ogc_record() -> bytes:
    return _json(
        {
            "type": "Feature",
            "id": "za.rain.1",
            "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
            "geometry": GEOJSON,
            "time": {"interval": ["1990-01-01", "2019-12-31"], "resolution": "P1D"},
            "properties": {
                "type": "series",
                "title": TITLE,
                "version": "2",
                "description": ABSTRACT,
                "externalIds": [{"value": f"https://doi.org/{DOI}"}, {"value": "LIMPOPO-RAIN"}],
                "platform": PLATFORM,
                "instruments": [INSTRUMENT],
                "cube:variables": {VARIABLE: {"type": "data", "unit": "mm"}},
                "processing:level": "L2",
                "keywords": ["in situ observations"],
                "themes": [
                    {"concepts": [{"id": "climate"}], "scheme": "https://example.org/topicCategory"},
                    {"concepts": [{"id": PROJECT}], "scheme": "GCMD Projects"},
                ],
                "language": {"code": "en"},
                "resolution": 500,
                "formats": [{"name": "NetCDF"}],
                "contacts": [{"name": "Thandi Nkosi", "roles": ["author"], "emails": [{"value": "t@example.org"}]}],
                "license": LICENCE,
                "rights": "Restricted",
                "lineage": "Checked by hand.",
                "created": "2020-01-01",
                "published": "2020-03-01",
            },
            "links": [
                {"rel": "item", "href": DATA},
                {"rel": "via", "href": "https://example.org/paper"},
                {"rel": "collection", "href": "https://example.org/za", "title": "za.rain"},
            ],
        }
    )


def _ckan() -> bytes:
    extras = {
        "spatial": json.dumps(GEOJSON), "temporal_start": "1990-01-01", "temporal_end": "2019-12-31",
        "language": "eng", "theme": '["climate"]', "issued": "2020-03-01", "lineage": "Checked by hand.",
        "source": "Paper sheets", "access_constraints": '["Restricted"]', "alternate_title": "LIMPOPO-RAIN",
        "spatial-resolution": "500 m", "temporal_resolution": "P1D", "parent_identifier": "za.rain",
        "resource-type": "series", "platform": PLATFORM, "instruments": json.dumps([INSTRUMENT]), "project": PROJECT,
        "variables": VARIABLE, "processing_level": "2",
    }  # fmt: skip
    return _json(
        {
            "id": "za.rain.1",
            "name": "rain",
            "version": "2",
            "title": TITLE,
            "notes": ABSTRACT,
            "doi": DOI,
            "author": "Thandi Nkosi",
            "author_email": "t@example.org",
            "license_id": "cc-by",
            "license_url": LICENCE,
            "license_title": "CC BY",
            "tags": [{"name": "in situ observations"}],
            "metadata_modified": "2021-01-01",
            "resources": [{"url": DATA, "format": "NetCDF"}],
            "extras": [{"key": key, "value": value} for key, value in extras.items()],
        }
    )


def _geoblacklight() -> bytes:
    return _json(
        {
            "id": "za.rain.1",
            "gbl_mdVersion_s": "Aardvark",
            "dct_title_s": TITLE,
            "dct_alternative_sm": ["LIMPOPO-RAIN"],
            "dct_description_sm": [ABSTRACT],
            "dct_language_sm": ["eng"],
            "dct_creator_sm": ["Thandi Nkosi"],
            "dct_publisher_sm": ["Weather Office"],
            "gbl_resourceClass_sm": ["Collections"],
            "dcat_keyword_sm": ["in situ observations"],
            "dcat_theme_sm": ["Climate"],
            "dct_spatial_sm": ["Limpopo"],
            "dct_temporal_sm": ["1990-01-01/2019-12-31"],
            "dct_issued_s": "2020-03-01",
            "locn_geometry": WKT,
            "dcat_bbox": "ENVELOPE(26,33,-21,-26)",
            "dct_isPartOf_sm": ["za.rain"],
            "dct_source_sm": ["paper-sheets"],
            "dct_provenance_sm": ["Checked by hand."],
            "dct_rights_sm": ["As is."],
            "dct_license_sm": [LICENCE],
            "dct_accessRights_s": "Restricted",
            "dct_format_s": "NetCDF",
            "dct_identifier_sm": [f"https://doi.org/{DOI}"],
            "dct_references_s": json.dumps({"http://schema.org/downloadUrl": DATA, "http://schema.org/url": PAGE}),
        }
    )


def _schema_org() -> bytes:
    node = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": "za.rain.1",
        "identifier": {
            "@type": "PropertyValue",
            "propertyID": "https://registry.identifiers.org/registry/doi",
            "value": DOI,
        },
        "name": TITLE,
        "version": 2,
        "alternateName": "LIMPOPO-RAIN",
        "variableMeasured": [{"@type": "PropertyValue", "name": VARIABLE, "unitText": "mm"}],
        "measurementTechnique": INSTRUMENT,
        "description": ABSTRACT,
        "inLanguage": "en",
        "keywords": [
            "in situ observations, rain",
            {"@type": "DefinedTerm", "name": PLATFORM, "inDefinedTermSet": "GCMD Platforms"},
            {"@type": "DefinedTerm", "name": PROJECT, "inDefinedTermSet": "GCMD Projects"},
        ],
        "creator": {"@type": "Person", "name": "Thandi Nkosi"},
        "spatialCoverage": {
            "@type": "Place",
            "name": "Limpopo",
            "geo": {"@type": "GeoShape", "polygon": " ".join(f"{lat} {lon}" for lon, lat in RING)},
        },
        "temporalCoverage": "1990-01-01/2019-12-31",
        "temporalResolution": "P1D",
        "spatialResolution": {"@type": "QuantitativeValue", "value": 500, "unitText": "m"},
        "verticalCoverage": {"minValue": 120, "maxValue": 1500},
        "license": LICENCE,
        "conditionsOfAccess": "restricted access",
        "isBasedOn": "https://example.org/paper",
        "wasGeneratedBy": {"description": "Outliers removed."},
        "isPartOf": "za.rain",
        "datePublished": "2020-03-01",
        "url": PAGE,
        "distribution": {"@type": "DataDownload", "contentUrl": DATA, "encodingFormat": "NetCDF"},
    }
    return (
        "<!DOCTYPE html><html><head><title>x</title>"
        f'<script type="application/ld+json">{json.dumps(node)}</script></head><body>Rain</body></html>'
    ).encode()


def _eml() -> bytes:
    ring = "".join(
        f"<gRingPoint><gRingLatitude>{lat}</gRingLatitude><gRingLongitude>{lon}</gRingLongitude></gRingPoint>"
        for lon, lat in RING
    )
    return f"""<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="za.rain.1" system="x">
 <access><allow><principal>uid=thandi</principal><permission>read</permission></allow></access>
 <dataset><alternateIdentifier>https://doi.org/{DOI}</alternateIdentifier><shortName>LIMPOPO-RAIN</shortName>
 <title>{TITLE}</title><creator><individualName><givenName>Thandi</givenName><surName>Nkosi</surName></individualName></creator>
 <pubDate>2020-03-01</pubDate><language>eng</language><abstract><para>{ABSTRACT}</para></abstract>
 <keywordSet><keyword>in situ observations</keyword></keywordSet>
 <intellectualRights><para>Ask first. {LICENCE}</para></intellectualRights>
 <coverage><geographicCoverage><geographicDescription>Limpopo</geographicDescription><boundingCoordinates>
 <westBoundingCoordinate>26</westBoundingCoordinate><eastBoundingCoordinate>33</eastBoundingCoordinate>
 <northBoundingCoordinate>-21</northBoundingCoordinate><southBoundingCoordinate>-26</southBoundingCoordinate>
 <boundingAltitudes><altitudeMinimum>120</altitudeMinimum><altitudeMaximum>1500</altitudeMaximum>
 <altitudeUnits>meter</altitudeUnits></boundingAltitudes></boundingCoordinates>
 <datasetGPolygon><datasetGPolygonOuterGRing>{ring}</datasetGPolygonOuterGRing></datasetGPolygon></geographicCoverage>
 <temporalCoverage><rangeOfDates><beginDate><calendarDate>1990-01-01</calendarDate></beginDate><endDate>
 <calendarDate>2019-12-31</calendarDate></endDate></rangeOfDates></temporalCoverage></coverage>
 <project><title>{PROJECT}</title></project>
 <methods><methodStep><description><para>Outliers removed.</para></description><instrumentation>{INSTRUMENT}</instrumentation><dataSource>
 <title>Paper sheets</title></dataSource></methodStep></methods>
 <dataTable><entityName>rain</entityName><attributeList><attribute><attributeName>{VARIABLE}</attributeName>
 <measurementScale><ratio><unit><standardUnit>mm</standardUnit></unit></ratio></measurementScale></attribute></attributeList><physical><objectName>rain.nc</objectName><dataFormat><externallyDefinedFormat>
 <formatName>NetCDF</formatName></externallyDefinedFormat></dataFormat><distribution><online><url>{DATA}</url></online>
 </distribution></physical></dataTable></dataset></eml:eml>""".encode()


def _dif() -> bytes:
    corners = "".join(
        f"<Point><Point_Longitude>{lon}</Point_Longitude><Point_Latitude>{lat}</Point_Latitude></Point>"
        for lon, lat in RING
    )
    return f"""<DIF xmlns="http://gcmd.gsfc.nasa.gov/Aboutus/xml/dif/"><Entry_ID><Short_Name>za.rain</Short_Name>
 <Version>1</Version></Entry_ID><Entry_Title>{TITLE}</Entry_Title><Dataset_Citation><Dataset_Creator>Thandi Nkosi
 </Dataset_Creator><Dataset_Release_Date>2020-03-01</Dataset_Release_Date><Persistent_Identifier><Type>DOI</Type>
 <Identifier>{DOI}</Identifier></Persistent_Identifier></Dataset_Citation>
 <Science_Keywords><Category>EARTH SCIENCE</Category><Topic>ATMOSPHERE</Topic><Term>{VARIABLE}</Term></Science_Keywords>
 <ISO_Topic_Category>CLIMATOLOGY</ISO_Topic_Category>
 <Platform><Type>In Situ Land-based Platforms</Type><Short_Name>{PLATFORM}</Short_Name>
 <Instrument><Short_Name>{INSTRUMENT}</Short_Name></Instrument></Platform><Project><Short_Name>{PROJECT}</Short_Name></Project>
 <Product_Level_Id>2</Product_Level_Id>
 <Temporal_Coverage><Range_DateTime><Beginning_Date_Time>1990-01-01</Beginning_Date_Time><Ending_Date_Time>2019-12-31
 </Ending_Date_Time></Range_DateTime></Temporal_Coverage>
 <Spatial_Coverage><Geometry><Polygon><Boundary>{corners}</Boundary></Polygon></Geometry>
 <Minimum_Altitude>120 m</Minimum_Altitude><Maximum_Altitude>1500 m</Maximum_Altitude></Spatial_Coverage>
 <Data_Resolution><Latitude_Resolution>500 m</Latitude_Resolution><Temporal_Resolution>Daily</Temporal_Resolution></Data_Resolution>
 <Quality>Checked by hand.</Quality><Access_Constraints>Requires registration.</Access_Constraints>
 <Use_Constraints>{LICENCE}</Use_Constraints><Dataset_Language>English</Dataset_Language>
 <Distribution><Distribution_Format>NetCDF</Distribution_Format></Distribution><Summary><Abstract>{ABSTRACT}</Abstract></Summary>
 <Related_URL><URL_Content_Type><Type>GET DATA</Type></URL_Content_Type><URL>{DATA}</URL></Related_URL>
 <Metadata_Association><Entry_ID><Short_Name>za.rain</Short_Name></Entry_ID><Type>Parent</Type></Metadata_Association>
 </DIF>""".encode()


def _echo10() -> bytes:
    corners = "".join(
        f"<Point><PointLongitude>{lon}</PointLongitude><PointLatitude>{lat}</PointLatitude></Point>"
        for lon, lat in RING
    )
    return f"""<Collection><ShortName>za.rain</ShortName><VersionId>1</VersionId><InsertTime>2020-03-01T00:00:00Z</InsertTime>
 <LastUpdate>2021-01-01T00:00:00Z</LastUpdate><DataSetId>{TITLE}</DataSetId><Description>{ABSTRACT}</Description>
 <DOI><DOI>{DOI}</DOI></DOI><ArchiveCenter>Weather Office</ArchiveCenter><DataFormat>NetCDF</DataFormat>
 <RestrictionComment>Requires a registration.</RestrictionComment><UseConstraints><LicenseURL><URL>{LICENCE}</URL></LicenseURL></UseConstraints>
 <Temporal><RangeDateTime><BeginningDateTime>1990-01-01</BeginningDateTime><EndingDateTime>2019-12-31</EndingDateTime>
 </RangeDateTime></Temporal><ScienceKeywords><ScienceKeyword><CategoryKeyword>EARTH SCIENCE</CategoryKeyword>
 <TopicKeyword>ATMOSPHERE</TopicKeyword><TermKeyword>{VARIABLE}</TermKeyword></ScienceKeyword></ScienceKeywords>
 <Platforms><Platform><ShortName>{PLATFORM}</ShortName><Type>In Situ Land-based Platforms</Type><Instruments><Instrument>
 <ShortName>{INSTRUMENT}</ShortName></Instrument></Instruments></Platform></Platforms><ProcessingLevelId>2</ProcessingLevelId>
 <Campaigns><Campaign><ShortName>{PROJECT}</ShortName></Campaign></Campaigns>
 <CollectionAssociations><CollectionAssociation><ShortName>za.rain</ShortName><CollectionType>Parent</CollectionType>
 </CollectionAssociation><CollectionAssociation><ShortName>PAPER</ShortName><CollectionType>SOURCE</CollectionType>
 </CollectionAssociation></CollectionAssociations>
 <OnlineAccessURLs><OnlineAccessURL><URL>{DATA}</URL></OnlineAccessURL></OnlineAccessURLs>
 <Spatial><HorizontalSpatialDomain><Geometry><GPolygon><Boundary>{corners}</Boundary></GPolygon></Geometry>
 </HorizontalSpatialDomain><VerticalSpatialDomain><Type>Minimum Altitude</Type><Value>120 m</Value></VerticalSpatialDomain>
 <VerticalSpatialDomain><Type>Maximum Altitude</Type><Value>1.5 km</Value></VerticalSpatialDomain></Spatial></Collection>""".encode()


def _thredds() -> bytes:
    return f"""<catalog xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
 <service name="all" serviceType="Compound" base=""><service name="http" serviceType="HTTPServer" base="https://data.example.org/"/>
 <service name="odap" serviceType="OPENDAP" base="https://data.example.org/dodsC/"/><service name="iso" serviceType="ISO" base="/iso/"/></service>
 <dataset name="{TITLE}" ID="za.rain" urlPath="rain.nc"><serviceName>all</serviceName><dataFormat>NetCDF</dataFormat>
 <date type="issued">2020-03-01</date><project>{PROJECT}</project><keyword>in situ observations</keyword>
 <keyword vocabulary="GCMD Platforms">{PLATFORM}</keyword><keyword vocabulary="GCMD Instruments">{INSTRUMENT}</keyword>
 <documentation type="summary">{ABSTRACT}</documentation><documentation type="history">Checked by hand.</documentation>
 <documentation type="rights">{LICENCE}</documentation><documentation type="rights">Requires a registration.</documentation>
 <documentation xlink:href="https://doi.org/{DOI}" xlink:title="The paper"/>
 <creator><name>Thandi Nkosi</name><contact email="t@example.org" url="https://x.example.org"/></creator>
 <variables vocabulary="CF-1.0"><variable name="{VARIABLE}" units="mm"/></variables>
 <metadata inherited="true"><geospatialCoverage><northsouth><start>-26</start><size>5</size><units>degrees_north</units></northsouth>
 <eastwest><start>26</start><size>7</size><units>degrees_east</units></eastwest>
 <updown><start>0</start><size>1500</size><units>m</units></updown></geospatialCoverage>
 <timeCoverage><start>1990-01-01</start><end>2019-12-31</end><resolution>1 day</resolution></timeCoverage></metadata>
 </dataset></catalog>""".encode()


def _arcgis() -> bytes:
    return _json(
        {
            "id": "0123456789abcdef",
            "owner": "weather_office",
            "title": TITLE,
            "name": "ZA_RAIN",
            "type": "CSV",
            "typeKeywords": ["CSV", "Data"],
            "snippet": ABSTRACT,
            "tags": ["rain", "in situ observations"],
            "culture": "en-us",
            "extent": [[26, -26], [33, -21]],
            "created": 1583020800000,
            "modified": 1609459200000,
            "accessInformation": "Thandi Nkosi",
            "license": "CC-BY-4.0",
            "licenseInfo": "Requires a registration.",
            "access": "org",
            "url": DATA,
        }
    )


def _arcgis_layer() -> bytes:
    return _json(
        {
            "name": TITLE,
            "serviceDescription": ABSTRACT,
            "extent": {"xmin": 26, "ymin": -26, "xmax": 33, "ymax": -21, "spatialReference": {"wkid": 4326}},
            "timeInfo": {"timeExtent": [631152000000, 1577836799000]},
            "pixelSizeX": 500,
            "arcgisServer": {"name": "rain/gauges", "services": [f"{PAGE}/rest/services/gauges/0"], "parent": "gauges"},
        }
    )


def _data_file() -> bytes:
    stated = {
        "title": TITLE,
        "summary": ABSTRACT,
        "language": "en",
        "keywords": "rain, in situ observations",
        "creator_name": "Thandi Nkosi",
        "history": "Hourly values were summed.",
        "license": "CC-BY-4.0; requires a registration",
        "infoUrl": PAGE,
        "date_created": "2020-03-01",
        "short_name": "LIMPOPO-RAIN",
        "platform": PLATFORM,
        "instrument": INSTRUMENT,
        "project": PROJECT,
        "processing_level": "2",
        "product_version": "2.1",
        "doi": DOI,
    }
    return _json(
        {
            "sonde:dataFile": 1,
            "name": "rain of the Limpopo.nc",
            "size": 1200,
            "format": "NetCDF-4",
            "attributes": stated,
            "variables": [{"name": VARIABLE, "type": "float32", "attributes": {"units": "mm"}}],
            "extent": [26, -26, 33, -21],
            "vertical": {"minimum": 0, "maximum": 1500, "unit": "m"},
            "times": {"start": "1990-01-01", "end": "2019-12-31", "step": "P1D", "count": 10957},
            "resolution": {"value": 0.01, "unit": "degrees"},
        }
    )


def _umm_c() -> bytes:
    points = [{"Longitude": lon, "Latitude": lat} for lon, lat in RING]
    return _json(
        {
            "meta": {"concept-id": "C1-ZA", "revision-date": "2021-01-01T00:00:00Z"},
            "umm": {
                "ShortName": "za.rain",
                "Version": "1",
                "EntryTitle": TITLE,
                "Abstract": ABSTRACT,
                "DOI": {"DOI": DOI},
                "DataLanguage": "eng",
                "CollectionCitations": [{"Creator": "Thandi Nkosi", "ReleaseDate": "2020-03-01"}],
                "ScienceKeywords": [{"Category": "EARTH SCIENCE", "Topic": "ATMOSPHERE", "Term": VARIABLE}],
                "ISOTopicCategories": ["climatologyMeteorologyAtmosphere"],
                "Platforms": [
                    {
                        "ShortName": PLATFORM,
                        "Type": "In Situ Land-based Platforms",
                        "Instruments": [{"ShortName": INSTRUMENT}],
                    }
                ],
                "Projects": [{"ShortName": PROJECT}],
                "ProcessingLevel": {"Id": "2"},
                "SpatialExtent": {
                    "HorizontalSpatialDomain": {
                        "Geometry": {"GPolygons": [{"Boundary": {"Points": points}}]},
                        "ResolutionAndCoordinateSystem": {
                            "HorizontalDataResolution": {
                                "GriddedResolutions": [{"XDimension": 500, "YDimension": 500, "Unit": "Meters"}]
                            }
                        },
                    },
                    "VerticalSpatialDomains": [{"Type": "Maximum Altitude", "Value": "1500 m"}],
                },
                "TemporalExtents": [
                    {
                        "RangeDateTimes": [{"BeginningDateTime": "1990-01-01", "EndingDateTime": "2019-12-31"}],
                        "TemporalResolution": {"Value": 1, "Unit": "Day"},
                    }
                ],
                "Quality": "Checked by hand.",
                "MetadataAssociations": [
                    {"Type": "PARENT", "EntryId": "za.rain"},
                    {"Type": "INPUT", "EntryId": "PAPER"},
                ],
                "AccessConstraints": {"Description": "Requires registration."},
                "UseConstraints": {"LicenseURL": {"Linkage": LICENCE}},
                "ArchiveAndDistributionInformation": {"FileDistributionInformation": [{"Format": "NetCDF"}]},
                "RelatedUrls": [{"URL": DATA, "URLContentType": "DistributionURL", "Type": "GET DATA"}],
            },
        }
    )


def _stac_collection() -> bytes:
    return _json(
        {
            "type": "Collection",
            "stac_version": "1.1.0",
            "id": "za.rain",
            "title": TITLE,
            "description": ABSTRACT,
            "license": "the office's own",
            "extent": {
                "spatial": {"bbox": [[26, -26, 33, -21]]},
                "temporal": {"interval": [["1990-01-01T00:00:00Z", "2019-12-31T23:59:59.999Z"]]},
            },
            "links": [],
        }
    )


def _csw_record() -> bytes:
    return f"""<csw:Record xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dct="http://purl.org/dc/terms/" xmlns:ows="http://www.opengis.net/ows"><dc:identifier>za.rain.1</dc:identifier>
 <dc:title>{TITLE}</dc:title><dct:abstract>{ABSTRACT}</dct:abstract><dct:temporal>1990-01-01/2019-12-31</dct:temporal>
 <ows:BoundingBox crs="urn:x-ogc:def:crs:EPSG:6.11:4326"><ows:LowerCorner>-26 26</ows:LowerCorner>
 <ows:UpperCorner>-21 33</ows:UpperCorner></ows:BoundingBox></csw:Record>""".encode()


def _dcat_us() -> bytes:
    return _json(
        {
            "@type": "dcat:Dataset",
            "identifier": "za.rain.1",
            "title": TITLE,
            "description": ABSTRACT,
            "accessLevel": "public",
            "modified": "R/P1D",
            "keyword": ["rain"],
            "publisher": {"name": "Weather Office"},
            "contactPoint": {"fn": "Desk", "hasEmail": "mailto:desk@example.org"},
            "spatial": "26,-26,33,-21",
            "temporal": "1990-01-01/2019-12-31",
            "license": LICENCE,
        }
    )


def _datacite_json() -> bytes:
    return _json(
        {
            "data": {
                "id": DOI,
                "attributes": {
                    "doi": DOI,
                    "titles": [{"title": TITLE}],
                    "creators": [{"name": "Nkosi, Thandi", "nameType": "Personal"}],
                    "descriptions": [{"description": ABSTRACT, "descriptionType": "Abstract"}],
                    "publicationYear": 2020,
                    "types": {"resourceTypeGeneral": "Dataset"},
                    "dates": [{"date": "1990-01-01/2019-12-31", "dateType": "Collected"}],
                    "geoLocations": [
                        {
                            "geoLocationBox": {
                                "westBoundLongitude": 26,
                                "eastBoundLongitude": 33,
                                "southBoundLatitude": -26,
                                "northBoundLatitude": -21,
                            }
                        }
                    ],
                },
            }
        }
    )


def _geoblacklight_1() -> bytes:
    return _json(
        {
            "geoblacklight_version": "1.0",
            "layer_slug_s": "za.rain.1",
            "dc_title_s": TITLE,
            "dc_description_s": ABSTRACT,
            "dct_temporal_sm": ["1990-01-01/2019-12-31"],
            "solr_geom": "ENVELOPE(26, 33, -21, -26)",
        }
    )


def _dif9() -> bytes:
    return f"""<DIF><Entry_ID>za.rain.1</Entry_ID><Entry_Title>{TITLE}</Entry_Title>
 <Temporal_Coverage><Start_Date>1990-01-01</Start_Date><Stop_Date>2019-12-31</Stop_Date></Temporal_Coverage>
 <Spatial_Coverage><Southernmost_Latitude>-26</Southernmost_Latitude><Northernmost_Latitude>-21</Northernmost_Latitude>
 <Westernmost_Longitude>26</Westernmost_Longitude><Easternmost_Longitude>33</Easternmost_Longitude></Spatial_Coverage>
 <Summary>{ABSTRACT}</Summary></DIF>""".encode()


def _json(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


DOCUMENTS: dict[str, bytes] = {
    "iso19139": _iso19139(),
    "iso19115-3": _iso19115_3(),
    "fgdc": _fgdc(),
    "dublin-core": _dublin_core(),
    "dcat": _dcat(),
    "datacite": _datacite(),
    "stac": _stac(),
    "ogc-record": _ogc_record(),
    "ckan": _ckan(),
    "geoblacklight": _geoblacklight(),
    "schema.org": _schema_org(),
    "eml": _eml(),
    "dif": _dif(),
    "echo10": _echo10(),
    "umm-c": _umm_c(),
    "thredds": _thredds(),
    "arcgis": _arcgis(),
    "data-file": _data_file(),
}

VARIANTS: dict[str, bytes] = {
    "stac": _stac_collection(),
    "dublin-core": _csw_record(),
    "dcat": _dcat_us(),
    "datacite": _datacite_json(),
    "geoblacklight": _geoblacklight_1(),
    "dif": _dif9(),
    "arcgis": _arcgis_layer(),
}
"""The same data set in another syntax or version of a standard."""


def survey_document(name: str, content: bytes) -> Survey:
    """As the survey of a folder with this document counts it."""
    found = separate(RawRecord(name, content, f"/{name}"))
    return survey_of([RawPage(found.records, skipped=found.skipped, passed_over=found.passed_over)])
