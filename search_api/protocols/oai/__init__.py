"""OAI-PMH 2.0 provider: arguments, listing with resumption, answers as XML. No HTTP here."""
