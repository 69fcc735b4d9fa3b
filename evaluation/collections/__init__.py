"""Where judged collections come from: one file per layout or collection."""
