"""How complete a source's records are, and whether their links answer."""
