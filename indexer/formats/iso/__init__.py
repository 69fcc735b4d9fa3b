"""The parts of ISO 19115 metadata in XML, one module per subject."""
