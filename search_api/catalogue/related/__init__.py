"""What a record leads on to: its versions, its campaign, what it was made from, and the texts that name it."""
