"""How FAIR the metadata of a record are: the indicators of RDA's data maturity model that metadata can answer."""
