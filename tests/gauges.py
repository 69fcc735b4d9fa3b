"""The names of the metrics that `ServiceState` reads: alerts and dashboards rely on them."""

from __future__ import annotations

GAUGES = frozenset(
    (
        "sonde_part_up",
        "sonde_queue_tasks",
        "sonde_queue_age_seconds",
        "sonde_index_documents",
        "sonde_index_bytes",
        "sonde_index_age_seconds",
        "sonde_harvest_records",
        "sonde_harvest_state",
        "sonde_harvest_age_seconds",
        "sonde_harvest_overdue_seconds",
        "sonde_writes_blocked",
        "sonde_elasticsearch_status",
        "sonde_documents",
        "sonde_alert_deliveries",
        "sonde_alert_round_age_seconds",
        "sonde_live_ndcg",
        "sonde_live_ndcg_fall",
        "sonde_live_age_seconds",
    )
)
