"""JSON, JSON-LD and RDF documents as plain JSON values."""
