"""What uses generated code: programs, bindings, dispatches, and the JSON engine."""
