"""Background jobs that send changed data sets to Sonde. The next harvest finds what a failed job missed."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckanext.sonde.asking import Sonde, SondeUnavailable
from ckanext.sonde.configured import sonde

log = logging.getLogger(__name__)


def enqueue(dataset_id: str) -> None:
    """Sends the data set later, so that saving it never waits for Sonde, nor fails with it."""
    if tk.config["ckanext.sonde.push"]:
        tk.enqueue_job(tell, [dataset_id], title=f"Sonde: {dataset_id}")


def tell(dataset_id: str) -> None:
    """Brings Sonde up to date on one data set, as an anonymous visitor would see it."""
    try:
        bring_up_to_date(sonde(), dataset_id)
    except SondeUnavailable as reason:
        log.warning("Data set %s was not sent to Sonde: %s. The next harvest will find it.", dataset_id, reason)


def bring_up_to_date(service: Sonde, dataset_id: str) -> bool:
    """Whether the data set is in Sonde afterwards. Raises SondeUnavailable."""
    dataset = _public_dataset(dataset_id)
    if dataset is None:
        service.remove(dataset_id)
    else:
        service.push(dataset)
    return dataset is not None


def _public_dataset(dataset_id: str) -> dict[str, Any] | None:
    try:
        dataset: dict[str, Any] = tk.get_action("package_show")({"ignore_auth": True}, {"id": dataset_id})
    except tk.ObjectNotFound:
        return None
    public = dataset.get("state") == "active" and not dataset.get("private") and dataset.get("type") == "dataset"
    return dataset if public else None
