"""The room for adrf."""
