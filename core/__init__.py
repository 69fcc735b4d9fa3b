"""The language of the field: values and ports that both flows share. No I/O, imports none of ours."""
