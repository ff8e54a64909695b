"""What came out of a run, by name: labelled arrays, plots, files.

`Result` is a value that needs neither the model nor the code that computed it. xarray, h5py
and Matplotlib are imported when they are first asked for.
"""

from bellcrank.results.events import Events, Occurrence
from bellcrank.results.labels import Label
from bellcrank.results.result import Result

__all__ = ["Events", "Label", "Occurrence", "Result"]
