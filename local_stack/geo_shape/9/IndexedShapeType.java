package org.sonde.geoshape;

import org.elasticsearch.common.geo.Orientation;
import org.elasticsearch.geometry.Geometry;
import org.elasticsearch.index.mapper.AbstractShapeGeometryFieldMapper;
import org.elasticsearch.index.mapper.GeoShapeParser;
import org.elasticsearch.index.mapper.IndexType;

import java.util.Map;

/** A type of shapes with an index, without values for sorting, as version 9 of the server describes it. */
abstract class IndexedShapeType extends AbstractShapeGeometryFieldMapper.AbstractShapeGeometryFieldType<Geometry> {

    IndexedShapeType(String path, GeoShapeParser parser, Orientation orientation, Map<String, String> meta) {
        super(path, IndexType.points(true, false), false, parser, orientation, meta);
    }
}
