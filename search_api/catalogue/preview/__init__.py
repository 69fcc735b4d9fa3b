"""A record's own picture (browse graphic, thumbnail), fetched through the gate and redrawn in a small size."""
