"""CSW 2.0.2 provider: requests as key-value pairs or XML, filters, answers as XML. No HTTP here."""
