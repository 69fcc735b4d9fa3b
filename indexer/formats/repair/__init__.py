"""Repairs single values: texts, links, licences, codes, names, dates, resolutions and places."""
