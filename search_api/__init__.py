"""The second flow: from a question to a ranked answer, over HTTP. Each folder imports only from those below it.

``app`` (all routes) and ``parts`` (what a view may call) stand at the top.
``protocols``: OGC API, STAC, CSW, OAI-PMH, feeds, MCP. ``stewards``: curation, insight, alerts, harvests.
``operations``: health, readiness, metrics. ``ask``: answers from documents. ``library``: a user's own documents.
``catalogue``: records and documents as they are. ``search``: ranked search. ``page``: the search page's shell.
``formats_out``: one record in other formats. ``http``: what every route shares.
"""
