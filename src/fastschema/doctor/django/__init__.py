"""What the Django app offers: settings, checks, what the doctor and the toolbar find."""
