"""Makes sets that teach a small language model to answer from passages: supervised (RAFT) and by preference (DPO)."""
