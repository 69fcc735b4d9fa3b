"""What every route shares: limits, problems, access, parameters, the OpenAPI document, metrics, traces."""
