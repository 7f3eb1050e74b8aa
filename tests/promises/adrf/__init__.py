"""The plugin for adrf."""
