"""The tree of bodies as SVG, as a LaTeX picture, and in letters."""

from collections.abc import Callable
from html import escape
from typing import TypeAlias

from bellcrank.spatial.latex import text
from bellcrank.worksheets.writing.layout import Chord, TreeLayout

At: TypeAlias = Callable[[float, float], tuple[float, float]]
"""From units of the drawing, y upwards, to pixels."""
UNIT = 52.0  # pixels of a unit of the drawing
RX, RY = 27.0, 19.0  # half axes of a body [px]
GROUND = 26.0  # room for ground [px]
SMALLEST = 0.35  # cm of a unit on paper, below which nothing could be read
LONG = 14  # letters of a name that are shown


def svg(layout: TreeLayout) -> str:
    """Return the drawing as an `<svg>` element, in the colours of the page around it."""
    right = 9.0 * max((len(_short(s.name)) for s in layout.spots), default=0)
    margin = max(40.0, right)
    wide, high = layout.width * UNIT + 2 * margin, layout.height * UNIT + GROUND + 40.0

    def at(x: float, y: float) -> tuple[float, float]:
        return margin + x * UNIT, high - GROUND - y * UNIT

    parts = [_ground(wide, high - GROUND)]
    for spot in layout.spots:
        (x1, y1), (x2, y2) = at(spot.x, spot.y), _below(layout, spot.lower, spot.x, at)
        parts.append(f'<path class="joint" d="M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}"/>')
        parts.append(_label((x1 + x2) / 2, (y1 + y2) / 2, _short(spot.joint), spot.kind))
    parts += [_chord(layout, chord, at) for chord in layout.chords]
    for spot in layout.spots:
        x, y = at(spot.x, spot.y)
        parts.append(
            f'<g class="body"><ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{RX}" ry="{RY}"/>'
            f'<text class="number" x="{x:.1f}" y="{y:.1f}" dy="0.35em">{spot.number}</text>'
            f'<text class="name" x="{x + RX + 6:.1f}" y="{y:.1f}" dy="0.35em">'
            f"{escape(_short(spot.name))}<title>{escape(spot.name)}</title></text></g>"
        )
    return (
        f'<svg class="tree" viewBox="0 0 {wide:.0f} {high:.0f}" '
        f'style="max-width:{wide:.0f}px" role="img" '
        f'aria-label="tree of bodies">{"".join(parts)}</svg>'
    )


def _short(name: str) -> str:
    return name if len(name) <= LONG else name[: LONG - 1] + "…"


def _below(layout: TreeLayout, lower: int, x: float, at: At) -> tuple[float, float]:
    """Return where a joint meets its lower body, or the ground straight below."""
    return at(x, 0.0) if lower == 0 else at(*layout.place(lower))


def _label(x: float, y: float, name: str, kind: str) -> str:
    half = 3.7 * len(name) + 6.0
    return (
        f'<g class="tag"><rect x="{x - half:.1f}" y="{y - 9:.1f}" width="{2 * half:.1f}" '
        f'height="18" rx="9"/><text x="{x:.1f}" y="{y:.1f}" dy="0.35em">{escape(name)}'
        f"<title>{escape(kind)}</title></text></g>"
    )


def _chord(layout: TreeLayout, chord: Chord, at: At) -> str:
    ends = []
    for here, there in ((chord.first, chord.second), (chord.second, chord.first)):
        x = layout.place(here)[0] if here else layout.place(there)[0] + 0.75
        ends.append(at(x, layout.place(here)[1] if here else 0.0))
    (x1, y1), (x2, y2) = ends
    # Bent to the side, so that it does not lie on the joints of the tree.
    bend = 0.16
    cx, cy = (x1 + x2) / 2 + bend * (y1 - y2), (y1 + y2) / 2 - 0.6 * bend * abs(x2 - x1)
    mx, my = (x1 + 2 * cx + x2) / 4, (y1 + 2 * cy + y2) / 4
    path = f'<path class="loop" d="M{x1:.1f} {y1:.1f} Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}"/>'
    return path + _label(mx, my, _short(chord.joint), chord.kind)


def _ground(wide: float, y: float) -> str:
    lines = [f'<path class="ground" d="M14 {y:.1f} H{wide - 14:.1f}"/>']
    x = 22.0
    while x < wide - 14:
        lines.append(f'<path class="hatch" d="M{x:.1f} {y:.1f} l-8 10"/>')
        x += 12.0
    lines.append(f'<text class="zero" x="{wide - 12:.1f}" y="{y + 16:.1f}">0</text>')
    return "".join(lines)


def _scale(layout: TreeLayout) -> float:
    """Return how long a unit is on paper [cm]."""
    return min(1.0, 14.0 / (layout.width + 1.5), 21.0 / (layout.height + 1.2))


def fits(layout: TreeLayout) -> bool:
    """Return whether a page is large enough for the drawing."""
    return _scale(layout) >= SMALLEST


def written(layout: TreeLayout) -> str:
    """Return the tree in letters for LaTeX, which may go on on another page."""
    signs = str.maketrans({"└": "+", "├": "+", "─": "-", "│": "|", "–": "-"})
    tree = letters(layout).translate(signs)
    return "\n".join([
        r"\begin{flushleft}\footnotesize", r"\begin{verbatim}", tree, r"\end{verbatim}",
        r"\end{flushleft}",
    ])  # fmt: skip


def picture(layout: TreeLayout) -> str:
    """Return the drawing as a LaTeX `picture`, which needs no package."""
    scale = _scale(layout)
    small = "\\tiny" if scale < 0.6 else "\\scriptsize"
    own = "\\tiny " if scale < 0.6 else ""
    lines = [
        rf"\setlength{{\unitlength}}{{{scale:.3f}cm}}",
        rf"\begin{{picture}}({layout.width + 1.5:.2f},{layout.height + 1.2:.2f})(0,-0.6)",
        rf"\put(0,0){{\line(1,0){{{layout.width:.2f}}}}}",
        rf"\put({layout.width + 0.1:.2f},-0.1){{{small} 0}}",
    ]
    for spot in layout.spots:
        x, y = (spot.x, 0.0) if spot.lower == 0 else layout.place(spot.lower)
        y = y + 0.33 if spot.lower else 0.0
        middle = (spot.x + x) / 2, (spot.y - 0.33 + y) / 2
        lines += [
            _curve((spot.x, spot.y - 0.33), middle, (x, y)),
            rf"\put({middle[0] + 0.1:.2f},{middle[1]:.2f}){{{small} {text(spot.joint)}}}",
        ]
    for chord in layout.chords:
        (x1, y1), (x2, y2) = (layout.place(k) for k in (chord.first, chord.second))
        x1, x2 = (x1, x2 + 0.75) if chord.second == 0 else (x1, x2)
        x1 = layout.place(chord.second)[0] + 0.75 if chord.first == 0 else x1
        x2 = layout.place(chord.first)[0] + 0.75 if chord.second == 0 else x2
        bent = (x1 + x2) / 2 + 0.3, (y1 + y2) / 2 + 0.2 * abs(x2 - x1)
        name = rf"{{{small} {text(chord.joint)}}}"
        lines += [_curve((x1, y1), bent, (x2, y2), 40),
                  rf"\put({bent[0]:.2f},{bent[1]:.2f}){name}"]  # fmt: skip
    for spot in layout.spots:
        lines += [
            rf"\put({spot.x:.2f},{spot.y:.2f}){{\oval(0.9,0.66)}}",
            rf"\put({spot.x:.2f},{spot.y:.2f}){{\makebox(0,0){{{own}{spot.number}}}}}",
            rf"\put({spot.x + 0.55:.2f},{spot.y - 0.08:.2f}){{{small} {text(spot.name)}}}",
        ]
    return "\n".join([*lines, r"\end{picture}"])


def _curve(
    a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], dots: int = 0
) -> str:
    places = "".join(f"({x:.2f},{y:.2f})" for x, y in (a, b, c))
    return rf"\qbezier{f'[{dots}]' if dots else ''}{places}"


def letters(layout: TreeLayout) -> str:
    """Return the tree as lines of text, ground first."""
    children: dict[int, list[int]] = {}
    for spot in layout.spots:
        children.setdefault(spot.lower, []).append(spot.number)
    lines = ["0 ground"]
    stack = [(k, "") for k in reversed(children.get(0, []))]
    while stack:
        k, indent = stack.pop()
        spot = layout.spots[k - 1]
        last = children[spot.lower][-1] == k
        mark = "└─" if last else "├─"
        lines.append(f"{indent}{mark} {k} {spot.name}  [{spot.joint}, {spot.kind}]")
        inner = indent + ("   " if last else "│  ")
        stack.extend((child, inner) for child in reversed(children.get(k, [])))
    lines += [f"loop: {c.joint} ({c.kind}), {c.first} – {c.second}" for c in layout.chords]
    return "\n".join(lines)
