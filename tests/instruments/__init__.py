"""What tests of promises see and set of fastschema's inside; they import nothing else of it."""
