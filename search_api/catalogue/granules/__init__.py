"""Granules of a record: asked live of the STAC API or NASA CMR that holds them."""
