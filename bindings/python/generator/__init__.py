"""Makes the typed modules of the package from the contract: shapes and sentences from the catalogue of the component, names of
types, error codes and front ends from `wit/`."""
