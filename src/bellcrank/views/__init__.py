"""Views: reports of machines, progress of runs."""
