"""OAI-PMH 2.0 as a provider: arguments, listing with resumption, answers as XML. No HTTP in here."""
