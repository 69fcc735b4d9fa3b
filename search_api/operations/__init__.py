"""For the operator and the cluster: health, readiness, metrics."""
