"""Products whose views forget to load their relations."""
