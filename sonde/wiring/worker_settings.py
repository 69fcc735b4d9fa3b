"""The settings of the workers. The API's job queue takes the same."""

from __future__ import annotations

from sonde.settings import Settings
from workers.config import WorkerConfig


def worker_config(settings: Settings) -> WorkerConfig:
    return WorkerConfig(
        broker_url=settings.broker_url,
        prefix=settings.index.prefix,
        sources=settings.harvest.sources,
        visibility_timeout_s=settings.broker.visibility_timeout_s,
        slice_s=settings.harvest.slice_s,
        batch=settings.harvest.batch,
        max_removal_share=settings.harvest.max_removal_share,
        links_every_s=86_400.0 * settings.harvest.check_links_every_d,
        measure_hour=settings.evaluation.hour if settings.evaluation.queries is not None else None,
        memory_bytes=settings.worker.memory_mib * 1024 * 1024,
        alerts_hour=settings.alerts.hour if settings.alerts.secret is not None else None,
    )
