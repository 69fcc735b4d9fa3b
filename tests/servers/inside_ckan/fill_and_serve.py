"""Runs in CKAN's own environment: fills a new portal, writes down an administrator's token, and serves it.

Arguments: the ini file, the port, a JSON list of data sets, where the token goes. One process for all, since importing
CKAN takes seconds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main(ini: str, port: str, datasets: str, token: str) -> None:
    from ckan import model
    from ckan.cli import load_config
    from ckan.config.middleware import make_app
    from ckan.plugins.toolkit import get_action
    from werkzeug.serving import make_server

    app = make_app(load_config(ini))
    flask: Any = app._wsgi_app
    with flask.test_request_context():
        model.repo.upgrade_db()
        site = get_action("get_site_user")({"ignore_auth": True}, {})["name"]
        who = {"ignore_auth": True, "user": site}
        person = {"name": "steward", "email": "steward@example.org", "password": "stewardsteward", "sysadmin": True}
        get_action("user_create")(dict(who), person)
        given = get_action("api_token_create")(dict(who), {"user": "steward", "name": "tests"})
        get_action("organization_create")(dict(who) | {"user": "steward"}, {"name": "survey", "title": "The Survey"})
        for dataset in json.loads(Path(datasets).read_text("utf-8")):
            get_action("package_create")({"ignore_auth": True, "user": "steward"}, dataset)
        Path(token).write_text(given["token"], "utf-8")
    make_server("127.0.0.1", int(port), app, threaded=True).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
