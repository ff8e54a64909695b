"""MuJoCo: a tree of hinges whose loops are closed by `connect`, RK4, constraints tuned.

With default `solref` and `solimp` the plain four-bar ends more than a radian off. Direct
stiffness and damping of 250 000 and 1 000 with impedance 0.9999 are within 1e-3 m at 2 ms on
every ladder; stiffer ones are too, and take the same time.
"""

from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.linkages import OUTPUT, Linkage, Pin
from benchmarks.machines import GRAVITY

NAME = f"MuJoCo {mujoco.__version__}, RK4, tuned"
TUNED = 'solref="-250000 -1000" solimp="0.9999 0.9999 0.001 0.5 2"'
DEFAULT = ""


def document(machine: Linkage, closing: str = TUNED) -> str:
    """Return the MJCF; every body's origin is its pin, axes as drawn."""
    origin: dict[str, tuple[float, float]] = {"ground": (0.0, 0.0)}
    origin |= {pin.second: pin.at for pin in machine.tree}
    loops = [pin for pin in machine.pins if pin not in machine.tree]
    connects = "".join(
        f'<connect body1="{pin.first}" body2="{pin.second}" {closing}'
        f' anchor="{_shifted(pin.at, origin[pin.first])}"/>'
        for pin in loops
    )
    roots = "".join(_body(machine, pin, origin) for pin in _on(machine, "ground"))
    sparse = "sparse" if len(machine.bars) > 30 else "auto"
    return f"""<mujoco>
      <compiler angle="radian"/>
      <option integrator="RK4" gravity="0 {-GRAVITY!r} 0" jacobian="{sparse}">
        <flag contact="disable" limit="disable"/>
      </option>
      <worldbody>{roots}</worldbody><equality>{connects}</equality></mujoco>"""


def _on(machine: Linkage, name: str) -> list[Pin]:
    return [pin for pin in machine.tree if pin.first == name]


def _body(machine: Linkage, pin: Pin, origin: dict[str, tuple[float, float]]) -> str:
    bar = next(bar for bar in machine.bars if bar.name == pin.second)
    inner = "".join(_body(machine, each, origin) for each in _on(machine, pin.second))
    return (
        f'<body name="{bar.name}" pos="{_shifted(pin.at, origin[pin.first])}">'
        f'<inertial pos="{_shifted(bar.middle, pin.at)}" mass="{bar.mass!r}"'
        f' diaginertia="{bar.inertia!r} {bar.inertia!r} {bar.inertia!r}"/>'
        f'<joint name="{pin.name}" type="hinge" axis="0 0 1"/>{inner}</body>'
    )


def _shifted(place: tuple[float, float], origin: tuple[float, float]) -> str:
    return f"{place[0] - origin[0]!r} {place[1] - origin[1]!r} 0"


def build(
    machine: Linkage, closing: str = TUNED
) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(step)`, which returns times and angles turned by the first rod."""
    xml = document(machine, closing)
    model = mujoco.MjModel.from_xml_string(xml)  # type: ignore[attr-defined]
    data = mujoco.MjData(model)  # type: ignore[attr-defined]
    mujoco.set_mju_user_warning(lambda _message: None)  # type: ignore[attr-defined]
    step, rate = mujoco.mj_step, machine.rate_of  # type: ignore[attr-defined]
    records = round(machine.until / OUTPUT)
    times = np.linspace(0.0, machine.until, records + 1)
    first = model.joint(machine.pins[0].name).qposadr[0]

    def run(dt: float) -> tuple[np.ndarray, np.ndarray]:
        model.opt.timestep = dt
        count = round(OUTPUT / dt)
        mujoco.mj_resetData(model, data)  # type: ignore[attr-defined]
        for pin in machine.tree:
            data.qvel[model.joint(pin.name).dofadr[0]] = rate[pin.second] - rate[pin.first]
        angles = np.zeros(len(times))
        for k in range(1, len(times)):
            step(model, data, count)
            angles[k] = data.qpos[first]
        return times, angles

    return run
