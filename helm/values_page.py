"""helm/sonde/README.md, written from the comments of values.yaml: `make chart-readme`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHART = Path(__file__).resolve().parent / "sonde"

_HEAD = """# The chart of Sonde

The chart installs the API, a worker for each queue, beat, and the job that prepares the indices. On request it adds an
Elasticsearch (through ECK), a Valkey, an ingress or gateway route, scaling and monitoring.
[docs/operators/kubernetes.md](../../docs/operators/kubernetes.md) explains an installation step by step.

```console
$ helm install sonde helm/sonde --set elasticsearch.url=http://elasticsearch:9200 --set broker.host=redis --wait
$ helm test sonde    # after the first harvest
```

Give the names of secrets, never their content: `elasticsearch.credentialsSecret`, `broker.passwordSecret`, `extraEnv`
with `valueFrom`. The chart refuses a wrong value, or values that contradict each other, before it changes anything.
`ci/*-values.yaml` are examples that the tests render.

`make chart-readme` writes this page from `values.yaml`; a test checks that it is up to date.

| value | default | what it is |
|---|---|---|
"""
_KEY = re.compile(r"^( *)([A-Za-z_]+):(?: (.*))?$")
_COMMENT = re.compile(r"^ *# ?(.*)$")


def page(values: str) -> str:
    """The whole page."""
    return _HEAD + "".join(f"{row}\n" for row in _rows(values.splitlines()))


def _rows(lines: list[str]) -> Iterator[str]:
    """A row for each value that has a default, and for each group that has a comment."""
    path: list[str] = []
    comment: list[str] = []
    for line in lines:
        if not line.strip():
            comment = []
        elif found := _COMMENT.match(line):
            comment.append(found[1])
        elif found := _KEY.match(line):
            path = [*path[: len(found[1]) // 2], found[2]]
            if found[3] or comment:
                yield _row(".".join(path), found[3], " ".join(comment))
            comment = []


def _row(name: str, default: str | None, comment: str) -> str:
    shown = "" if default in (None, '""') else f"`{default}`"
    return f"| `{name}` | {shown} | {comment.replace('|', '/')} |"


if __name__ == "__main__":
    sys.stdout.write(page((CHART / "values.yaml").read_text("utf-8")))
