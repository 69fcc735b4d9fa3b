"""The terms of the field: values and ports that both flows share. No I/O; imports no other package of ours."""
