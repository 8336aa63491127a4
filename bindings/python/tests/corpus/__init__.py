"""The case corpus of the repository, which `make corpus` compiles, and its verdicts on a disk."""
