"""Records of `make bench`, one a processor, and the pages that show them side by side."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.processor import Processor
from benchmarks.report import Demand, Table

FOLDER = Path(__file__).parent / "results"
INTRODUCTION = """# What `make bench` found

Each run replaces the record of its own processor in `results/` and leaves the others alone.
Times of different processors, and of different days on one, are not to be compared; ratios
within one run are.
"""


@dataclass(frozen=True)
class Record:
    """One run of all sections on one processor.

    Attributes:
        processor: Where.
        about: When, of which revision, with which packages; lines by their heading.
        tables: By their name in the record.
        demands: All of them.
    """

    processor: Processor
    about: dict[str, str]
    tables: dict[str, Table]
    demands: tuple[Demand, ...]

    @property
    def met(self) -> int:
        """How many demands are reached."""
        return sum(demand.met for demand in self.demands)

    def save(self, folder: Path = FOLDER) -> Path:
        """Write it to the file of its processor, and return that."""
        tables = {name: _plain(table) for name, table in self.tables.items()}
        demands = [asdict(demand) | {"met": demand.met} for demand in self.demands]
        data = {"processor": asdict(self.processor), "about": self.about}
        data |= {"demands": demands, "tables": tables}
        path = folder / f"{self.processor.key}.json"
        folder.mkdir(exist_ok=True)
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def load(path: Path) -> Record:
    """Return a record that was saved."""
    data = json.loads(path.read_text(encoding="utf-8"))
    where = data["processor"] | {"vectors": tuple(data["processor"]["vectors"])}
    known = [field.name for field in fields(Demand)]
    return Record(
        Processor(**where),
        data["about"],
        {name: Table(**table) for name, table in data["tables"].items()},
        tuple(Demand(**{key: each[key] for key in known}) for each in data["demands"]),
    )


def records(folder: Path = FOLDER) -> list[Record]:
    """Return all records there are, by the name of their file."""
    return [load(path) for path in sorted(folder.glob("*.json"))]


def _plain(table: Table) -> dict[str, Any]:
    found = asdict(table)
    del found["demands"]  # they stand together, with the others
    return found


def page(known: list[Record]) -> str:
    """Return all tables of all processors as Markdown."""
    about = [
        f"**{record.processor}**  \n"
        + "  \n".join(f"{heading}: {line}" for heading, line in record.about.items())
        + "\n"
        for record in known
    ]
    names = dict.fromkeys(name for record in known for name in record.tables)
    return "\n".join([INTRODUCTION, *about, chosen(known, tuple(names)), _demands(known)])


def chosen(known: list[Record], names: tuple[str, ...]) -> str:
    """Return some tables as Markdown, those of all processors under one title each."""
    parts = []
    for name in names:
        there = [record for record in known if name in record.tables]
        parts.append(f"### {there[0].tables[name].title}\n")
        for record in there:
            parts += [f"{record.processor}:\n", record.tables[name].markdown()]
    return "\n".join(parts)


def _demands(known: list[Record]) -> str:
    """Return the demands as one table, a column for each processor."""
    rows: dict[str, dict[int, Demand]] = {}
    for number, record in enumerate(known):
        for demand in record.demands:
            rows.setdefault(demand.what, {})[number] = demand
    heads = [f"{x.processor}: {x.met} of {len(x.demands)} met" for x in known]
    table = Table("Demands", ["what", "wanted", *heads])
    for what, found in rows.items():
        wanted = dict.fromkeys(demand.cells()[2] for demand in found.values())
        cells = [_cell(found.get(number)) for number in range(len(known))]
        table.rows.append([what, " / ".join(wanted), *cells])
    return f"### Demands\n\n{table.markdown()}"


def _cell(demand: Demand | None) -> str:
    if demand is None:
        return ""
    found = demand.form.format(demand.found)
    return found if demand.met else f"**{found}**, not met"


def write_pages(known: list[Record], readme: Path, names: tuple[str, ...]) -> None:
    """Write the page of all tables, and put chosen ones between the marks of a README.

    Args:
        known: What there is.
        readme: The README.
        names: Of the tables it shows, in order.
    """
    FOLDER.with_suffix(".md").write_text(page(known), encoding="utf-8")
    start, stop = "<!-- bench -->", "<!-- /bench -->"
    before, _, rest = readme.read_text(encoding="utf-8").partition(start)
    _, _, after = rest.partition(stop)
    body = chosen(known, names)
    readme.write_text(f"{before}{start}\n{body}\n{stop}{after}", encoding="utf-8")
