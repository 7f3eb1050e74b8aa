"""MessagePack with the values of JSON: by plans, for Flask, and for DRF."""
