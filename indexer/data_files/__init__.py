"""Reads data files (NetCDF, HDF5, Zarr, GRIB, GeoTIFF, GeoPackage, CSV): their headers become a JSON document.

1. ``reader`` starts a process without rights and answers its requests for parts of the file, so that a file behind
   HTTP is read by ranges. ``child`` is that process.
2. ``netcdf3``, ``arrays``, ``grib``, ``geotiff``, ``geopackage`` and ``table`` read one kind of file each;
   they run in it.
3. ``grid`` finds the extent, times, levels and variables of what follows the CF conventions.

``indexer.formats.readers.data_file`` makes a Record of the document.
"""
