"""Makes the typed modules of the package: shapes and sentences from the component's catalogue,
names of types, error codes and front ends from `wit/`.
"""
