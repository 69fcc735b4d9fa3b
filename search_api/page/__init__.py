"""The search page: its bundle, its addresses, the portal's look, and HTML where the page has no view."""
