package org.sonde.geoshape;

import org.apache.lucene.document.LatLonShape;
import org.apache.lucene.geo.LatLonGeometry;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.elasticsearch.common.Explicit;
import org.elasticsearch.common.geo.GeometryFormatterFactory;
import org.elasticsearch.common.geo.GeometryParser;
import org.elasticsearch.common.geo.Orientation;
import org.elasticsearch.common.geo.ShapeRelation;
import org.elasticsearch.geometry.Geometry;
import org.elasticsearch.index.mapper.AbstractGeometryFieldMapper;
import org.elasticsearch.index.mapper.AbstractShapeGeometryFieldMapper;
import org.elasticsearch.index.mapper.DocumentParserContext;
import org.elasticsearch.index.mapper.FieldMapper;
import org.elasticsearch.index.mapper.FieldMapper.Parameter;
import org.elasticsearch.index.mapper.GeoShapeIndexer;
import org.elasticsearch.index.mapper.GeoShapeParser;
import org.elasticsearch.index.mapper.GeoShapeQueryable;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.mapper.Mapper;
import org.elasticsearch.index.mapper.MapperBuilderContext;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.elasticsearch.plugins.MapperPlugin;
import org.elasticsearch.plugins.Plugin;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The {@code geo_shape} field type for a node that came without the spatial module.
 *
 * <p>The server itself holds everything the type is made of: the parser, the indexer that cuts shapes into
 * triangles, and the query. This plugin only joins them under the name the mappings use. It has no doc values, so
 * aggregations on shapes are not there; Sonde uses none.
 */
public final class GeoShapePlugin extends Plugin implements MapperPlugin {

    private static final String TYPE = "geo_shape";

    @Override
    public Map<String, Mapper.TypeParser> getMappers() {
        return Map.of(TYPE, new FieldMapper.TypeParser((name, context) -> new ShapeBuilder(name)));
    }

    /** What a mapping may say about such a field. */
    static final class ShapeBuilder extends FieldMapper.Builder {

        private final Parameter<Explicit<Boolean>> ignoreMalformed =
            AbstractGeometryFieldMapper.ignoreMalformedParam(mapper -> shape(mapper).malformed, false);
        private final Parameter<Explicit<Boolean>> ignoreZValue =
            AbstractGeometryFieldMapper.ignoreZValueParam(mapper -> shape(mapper).zValue);
        private final Parameter<Explicit<Boolean>> coerce =
            AbstractShapeGeometryFieldMapper.coerceParam(mapper -> shape(mapper).coerced, false);
        private final Parameter<Explicit<Orientation>> orientation =
            AbstractShapeGeometryFieldMapper.orientationParam(mapper -> shape(mapper).turned);
        private final Parameter<Map<String, String>> meta = Parameter.metaParam();

        ShapeBuilder(String name) {
            super(name);
        }

        private static ShapeMapper shape(FieldMapper mapper) {
            return (ShapeMapper) mapper;
        }

        @Override
        protected Parameter<?>[] getParameters() {
            return new Parameter<?>[] { ignoreMalformed, ignoreZValue, coerce, orientation, meta };
        }

        /** Overrides a method of the superclass from version 9 on. */
        public String contentType() {
            return TYPE;
        }

        @Override
        public FieldMapper build(MapperBuilderContext context) {
            return new ShapeMapper(this, builderParams(this, context), context.buildFullName(leafName()), parser());
        }

        private GeoShapeParser parser() {
            Orientation side = orientation.get().value();
            GeometryParser geometries =
                new GeometryParser(side.getAsBoolean(), coerce.get().value(), ignoreZValue.get().value());
            return new GeoShapeParser(geometries, side);
        }
    }

    /** How such a field is asked. */
    static final class ShapeType extends IndexedShapeType implements GeoShapeQueryable {

        ShapeType(String path, GeoShapeParser parser, Orientation orientation, Map<String, String> meta) {
            super(path, parser, orientation, meta);
        }

        @Override
        public String typeName() {
            return TYPE;
        }

        @Override
        public Query geoShapeQuery(
            SearchExecutionContext context, String field, ShapeRelation relation, LatLonGeometry... shapes
        ) {
            boolean asksForNothing = shapes == null || shapes.length == 0;
            return asksForNothing
                ? new MatchNoDocsQuery()
                : LatLonShape.newGeometryQuery(field, relation.getLuceneRelation(), shapes);
        }

        @Override
        protected Function<List<Geometry>, List<Object>> getFormatter(String format) {
            return GeometryFormatterFactory.getFormatter(format, Function.identity());
        }
    }

    /** How a document's shapes go into the index. */
    static final class ShapeMapper extends AbstractShapeGeometryFieldMapper<Geometry> {

        private final GeoShapeIndexer indexer;
        private final Explicit<Boolean> malformed;
        private final Explicit<Boolean> zValue;
        private final Explicit<Boolean> coerced;
        private final Explicit<Orientation> turned;

        ShapeMapper(ShapeBuilder builder, BuilderParams params, String path, GeoShapeParser parser) {
            super(
                builder.leafName(),
                new ShapeType(path, parser, builder.orientation.get().value(), builder.meta.get()),
                params,
                builder.ignoreMalformed.get(),
                builder.coerce.get(),
                builder.ignoreZValue.get(),
                builder.orientation.get(),
                parser
            );
            this.indexer = new GeoShapeIndexer(builder.orientation.get().value(), path);
            this.malformed = builder.ignoreMalformed.get();
            this.zValue = builder.ignoreZValue.get();
            this.coerced = builder.coerce.get();
            this.turned = builder.orientation.get();
        }

        @Override
        protected void index(DocumentParserContext context, Geometry geometry) throws IOException {
            if (geometry == null) {
                return;
            }
            context.doc().addAll(indexer.indexShape(geometry));
            context.addToFieldNames(fieldType().name());
        }

        @Override
        protected String contentType() {
            return TYPE;
        }

        @Override
        public FieldMapper.Builder getMergeBuilder() {
            return new ShapeBuilder(leafName()).init(this);
        }
    }
}
