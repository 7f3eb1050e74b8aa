"""What uses generated code: programs, bound programs, dispatches, and the JSON engine."""
