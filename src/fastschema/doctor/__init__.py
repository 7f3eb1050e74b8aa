"""Tools: the doctor, the profile, the command line."""
