"""The tools of an agent (Model Context Protocol). They ask only the public HTTP API."""
