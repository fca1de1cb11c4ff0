"""Where results are shown: progress, terminal tables, later pages."""
