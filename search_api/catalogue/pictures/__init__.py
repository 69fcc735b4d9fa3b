"""A picture of the data of a record: of a WMS, or of a GeoTIFF."""
