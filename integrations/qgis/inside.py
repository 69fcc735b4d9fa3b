"""Runs inside QGIS (``screenshots.sh`` starts it): layers by OGC API - Features, a search by MetaSearch, and pictures.

Reads SONDE_URL and OUT. Writes the pictures and ``result.json`` into OUT, and ends QGIS. What fails is in the result.
"""

import json
import os
import traceback
from pathlib import Path

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFillSymbol,
    QgsProject,
    QgsRectangle,
    QgsSettings,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QCoreApplication, QEventLoop, QTimer
from qgis.PyQt.QtWidgets import QApplication, QMessageBox
from qgis.utils import iface, plugins

URL, OUT = os.environ["SONDE_URL"].rstrip("/"), Path(os.environ["OUT"])
WORLD = Path(QgsApplication.pkgDataPath()) / "resources" / "data" / "world_map.gpkg"
QUESTION = "rainfall"
AREA = QgsRectangle(5, 36, 20, 48)
"""Italy, in degrees: small enough to show boxes of regional records."""


messages = []
"""What message boxes said."""


def layer(catalogue, name, sql=""):
    """A layer of one catalogue; ``sql`` is a filter that QGIS applies."""
    uri = f"url='{URL}' typename='{catalogue}' restrictToRequestBBOX='1'" + (f" sql={sql}" if sql else "")
    vector_layer = QgsVectorLayer(uri, name, "OAPIF")
    assert vector_layer.isValid(), vector_layer.error().message()
    return vector_layer


def pause(milliseconds):
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec_()


def watch():
    """Keeps and closes message boxes: they wait for a person."""
    boxes = [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMessageBox) and widget.isVisible()
    ]
    for box in boxes:
        messages.append(box.text())
        box.accept()


def shown(widget, name):
    QCoreApplication.processEvents()
    assert widget.grab().save(str(OUT / f"{name}.png"))


def drawn(canvas):
    loop = QEventLoop()
    canvas.mapCanvasRefreshed.connect(loop.quit)
    QTimer.singleShot(60_000, loop.quit)
    canvas.refresh()
    loop.exec_()
    pause(500)


def features():
    """The catalogue as a layer: its fields, how many records QGIS fetched, and the map."""
    world = QgsVectorLayer(f"{WORLD}|layername=countries", "World", "ogr")
    records = layer("samples", "Sonde: samples")
    outline = {"style": "no", "outline_color": "29,127,104", "outline_width": "0.5"}
    records.renderer().setSymbol(QgsFillSymbol.createSimple(outline))
    # The first is drawn above; the first one added sets the extent, when the event loop runs.
    QgsProject.instance().setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    QgsProject.instance().addMapLayer(world)
    QgsProject.instance().addMapLayer(records)
    canvas = iface.mapCanvas()
    drawn(canvas)
    canvas.setExtent(AREA)
    drawn(canvas)
    iface.setActiveLayer(records)
    shown(iface.mainWindow(), "qgis-layer")
    fetched = [feature["title"] for feature in records.getFeatures(AREA)]
    ids = [feature["id"] for feature in layer("samples", "all").getFeatures()]
    table = iface.showAttributeTable(records)
    pause(3000)
    shown(table, "qgis-table")
    table.close()
    return {
        "fields": [field.name() for field in records.fields()],
        "in_area": len(fetched),
        "every": len(ids),
        "distinct": len(set(ids)),
        "provider": records.dataProvider().name(),
        "extent": records.extent().toString(1),
    }


def metasearch():
    """A search in the catalogue service by MetaSearch: connection, words, box, results, one record."""
    settings = QgsSettings()
    settings.setValue("/MetaSearch/Sonde/url", f"{URL}/csw")
    settings.setValue("/MetaSearch/selected", "Sonde")
    dialog = plugins["MetaSearch"].dialog
    dialog.populate_connection_list()
    for combo in (dialog.cmbConnectionsServices, dialog.cmbConnectionsSearch):
        combo.setCurrentText("Sonde")
    dialog.show()
    dialog.tabWidget.setCurrentIndex(1)
    dialog.connection_info()
    pause(500)
    shown(dialog, "qgis-metasearch-service")
    dialog.tabWidget.setCurrentIndex(0)
    dialog.leKeywords.setText(QUESTION)
    dialog.set_bbox_from_map()
    searched = [box.text() for box in (dialog.leWest, dialog.leSouth, dialog.leEast, dialog.leNorth)]
    dialog.search()
    pause(500)
    results = dialog.treeRecords
    titles = [results.topLevelItem(row).text(1) for row in range(results.topLevelItemCount())]
    results.setCurrentItem(results.topLevelItem(0))
    dialog.record_clicked()
    pause(500)
    shown(dialog, "qgis-metasearch")
    result = {"area": searched, "shown": dialog.lblResults.text(), "titles": titles, "said": messages}
    dialog.close()
    return result


def run():
    result = {}
    for part in (features, metasearch):
        try:
            result[part.__name__] = part()
        except Exception:  # noqa: BLE001 - written into the result
            result[part.__name__] = {"failed": traceback.format_exc()}
    (OUT / "result.json").write_text(json.dumps(result, indent=1, ensure_ascii=False), "utf-8")
    QgsProject.instance().clear()
    os._exit(0)


watcher = QTimer()
watcher.timeout.connect(watch)
watcher.start(500)
QTimer.singleShot(3000, run)
