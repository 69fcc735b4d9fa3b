"""A record's own picture (browse graphic, thumbnail), fetched through the gate and drawn anew in a small size."""
