"""What STAC API asks in its own words: its names of properties, its query language, fields and aggregations."""
