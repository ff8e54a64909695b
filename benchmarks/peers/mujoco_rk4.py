"""MuJoCo with its Runge-Kutta integrator; the time loop runs in C (`mj_step(m, d, n)`)."""

from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.machines import GRAVITY, Chain

NAME = f"MuJoCo {mujoco.__version__}, RK4"
SETTINGS = tuple(0.1 / round(5 * 1.15**k) for k in range(2, 44))
"""Time steps [s]: whole fractions of the output grid."""
TINY = 1e-14
"""Inertia of a thin rod about itself [kg m²]: MuJoCo refuses zero."""


def document(machine: Chain) -> str:
    """Return the MJCF of a chain, everything but dynamics switched off."""
    J, L = machine.transverse_inertia, machine.length
    unit = {"x": "1 0 0", "y": "0 1 0"}
    open_bodies = "".join(
        f'<body pos="0 0 {-L if k else 0!r}">'
        f'<inertial pos="0 0 {-L / 2!r}" mass="{machine.mass!r}"'
        f' diaginertia="{J!r} {J!r} {TINY}"/>'
        f'<joint type="hinge" axis="{unit[axis]}" damping="{machine.damping!r}"/>'
        for k, axis in enumerate(machine.axes)
    )
    return f"""<mujoco>
      <compiler angle="radian" autolimits="false"/>
      <option integrator="RK4" gravity="0 0 {-GRAVITY!r}">
        <flag contact="disable" constraint="disable" equality="disable" limit="disable"/>
      </option>
      <worldbody>{open_bodies}<site name="tip" pos="0 0 {-L!r}"/>
      {"</body>" * machine.joints}</worldbody></mujoco>"""


def build(machine: Chain) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(step)`."""
    model = mujoco.MjModel.from_xml_string(document(machine))  # type: ignore[attr-defined]
    data = mujoco.MjData(model)  # type: ignore[attr-defined]
    # A step that is too long diverges: the error says so, no log file need be written.
    mujoco.set_mju_user_warning(lambda _message: None)  # type: ignore[attr-defined]
    step, kinematics = mujoco.mj_step, mujoco.mj_kinematics  # type: ignore[attr-defined]
    times = machine.grid
    tips = np.zeros((len(times), 3))

    def run(dt: float) -> tuple[np.ndarray, np.ndarray]:
        model.opt.timestep = dt
        count = round(0.1 / dt)
        mujoco.mj_resetData(model, data)  # type: ignore[attr-defined]
        data.qpos[:] = machine.start
        kinematics(model, data)
        tips[0] = data.site_xpos[0]
        for k in range(1, len(times)):
            step(model, data, count)
            kinematics(model, data)
            tips[k] = data.site_xpos[0]
        return times, tips

    return run
