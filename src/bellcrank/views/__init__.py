"""Views: reports of machines, progress of runs."""

from bellcrank.views.report import Report, report

__all__ = ["Report", "report"]
