"""The case corpus of the repository, `tests/cases`, read by its README and tried on a disk. What is not understood is an error,
never passed over.
"""
