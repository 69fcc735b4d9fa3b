"""How good the answers are: judged collections run through the very pipeline that serves, and measured."""
