"""Two revisions, measured in turns: `python -m benchmarks.compare REVISION`.

Another revision is checked out into a temporary folder. Child processes of both, in turns, run
the shipped examples and the main machines of the benchmarks with warm caches; the least
processor time of all rounds counts. Then the motions of both are compared. Children use nothing
but public names, so that older revisions can be asked.
"""
