"""Background jobs: what changed in the portal is told to Sonde. A harvest finds what a failed job left out."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckanext.sonde.asking import Sonde, SondeUnavailable
from ckanext.sonde.configured import sonde

log = logging.getLogger(__name__)


def enqueue(dataset_id: str) -> None:
    """Told later: saving a data set never waits for Sonde, nor fails with it."""
    if tk.config["ckanext.sonde.push"]:
        tk.enqueue_job(tell, [dataset_id], title=f"Sonde: {dataset_id}")


def tell(dataset_id: str) -> None:
    """Brings Sonde up to date on one data set, as an anonymous visitor would see it."""
    try:
        bring_up_to_date(sonde(), dataset_id)
    except SondeUnavailable as reason:
        log.warning("Sonde was not told of data set %s: %s. The next harvest will tell it.", dataset_id, reason)


def bring_up_to_date(service: Sonde, dataset_id: str) -> bool:
    """Whether the data set is in Sonde afterwards. Raises SondeUnavailable."""
    found = _seen_by_everyone(dataset_id)
    if found is None:
        service.remove(dataset_id)
    else:
        service.push(found)
    return found is not None


def _seen_by_everyone(dataset_id: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = tk.get_action("package_show")({"ignore_auth": True}, {"id": dataset_id})
    except tk.ObjectNotFound:
        return None
    public = found.get("state") == "active" and not found.get("private") and found.get("type") == "dataset"
    return found if public else None
