"""A scene on a viser server: bodies, ties, points, traces and arrows, placed at any time."""

from typing import Any

import numpy as np

from bellcrank.spatial.attitudes import euler_parameters, rotation_matrices
from bellcrank.views.motion import SceneMotion
from bellcrank.views.scene import FORCE, PALETTE, REACTION, Anchor, DrawnScene
from bellcrank.views.surfaces import upright

FIELD = 0.55  # vertical angle of view [rad]
TO_THREE = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # y upwards to z upwards
ARROW = 0.45  # length of the longest arrow, as a part of the machine's size


class Stage:
    """Everything of a scene on a server.

    Args:
        server: A viser server.
        motion: What is shown at first.
        switched: What is shown, by the key of its switch.
    """

    def __init__(self, server: Any, motion: SceneMotion, switched: dict[str, bool]) -> None:
        self.server, self.motion, self.switched = server, motion, switched
        self._parts: list[Any] = []
        self._traces: dict[str, Any] = {}
        self._labels: list[tuple[str, Any]] = []
        self._vectors: dict[str, tuple[dict[int, np.ndarray], float]] = {}
        with server.atomic():
            self._look()
            self._bodies()
            self._ties()
            self._marks()
            self._arrows()

    # --- made once

    def _look(self) -> None:
        motion, scene = self.motion, self.server.scene
        scene.set_up_direction(tuple(motion.scene.up.tolist()))
        camera = self.server.initial_camera
        distance = 1.12 * motion.reach / np.tan(FIELD / 2)
        camera.fov = FIELD
        camera.look_at = motion.middle
        camera.position = motion.middle + distance * motion.sight
        camera.near, camera.far = 0.01 * distance, 20.0 * distance
        R = upright(motion.scene.up)
        cell = motion.cell
        at = motion.middle + (motion.floor - motion.middle @ motion.scene.up) * motion.scene.up
        at = at - R[:, :2] @ ((at @ R[:, :2]) % (5 * cell))  # lines go through round numbers
        scene.add_grid(
            "/floor",
            width=16 * motion.reach,
            height=16 * motion.reach,
            cell_size=cell,
            section_size=5 * cell,
            cell_color=(196, 204, 216),
            section_color=(150, 160, 176),
            fade_distance=9 * motion.reach,
            fade_from="origin",
            infinite_grid=False,
            shadow_opacity=0.25,
            position=at,
            wxyz=euler_parameters(R.tolist()),
        )
        self.cell = cell
        self._lights()

    def _lights(self) -> None:
        """Light from the sky and one sun, so that colours stay what they are."""
        scene, up = self.server.scene, self.motion.scene.up
        scene.configure_default_lights(enabled=False)
        turn = euler_parameters((upright(up) @ TO_THREE).tolist())
        scene.add_light_hemisphere(
            "/lights/sky", sky_color=(255, 255, 255), ground_color=(150, 156, 168),
            intensity=1.35, wxyz=turn,
        )  # fmt: skip
        sun = up + 0.45 * self.motion.sight - 0.4 * np.cross(up, self.motion.sight)
        scene.add_light_directional(
            "/lights/sun", color=(255, 252, 245), intensity=1.6, cast_shadow=True,
            position=self.motion.middle + 6 * self.motion.reach * sun / np.linalg.norm(sun),
        )  # fmt: skip

    def _bodies(self) -> None:
        made = self.motion.scene
        self.frames = [
            self.server.scene.add_frame(
                f"/bodies/{k}",
                show_axes=False,
                axes_length=0.12 * made.size,
                axes_radius=0.0045 * made.size,
                origin_radius=0.008 * made.size,
            )
            for k in range(len(made.bodies))
        ]
        for i, part in enumerate(made.parts):
            mesh = self.server.scene.add_mesh_simple(
                f"/bodies/{part.body}/{part.kind} {i}",
                part.surface.vertices,
                part.surface.faces,
                color=part.colour,
                opacity=None if part.opacity == 1.0 else part.opacity,
                side="double",
                visible=part.kind != "axis" or self.switched.get("axes", False),
                cast_shadow=part.kind != "axis",
            )
            self._parts.append(mesh)

    def _ties(self) -> None:
        self.ties = [
            self.server.scene.add_mesh_simple(
                f"/ties/{i}", tie.surface.vertices, tie.surface.faces, color=tie.colour,
                side="double",
            )
            for i, tie in enumerate(self.motion.scene.ties)
        ]  # fmt: skip

    def _marks(self) -> None:
        made, scene = self.motion.scene, self.server.scene
        for i, mark in enumerate(made.marks):
            k, point = mark.at
            if mark.kind == "point":
                scene.add_icosphere(
                    f"/bodies/{k}/point {i}", radius=0.02 * made.size, color=(248, 248, 248),
                    position=point,
                )  # fmt: skip
                path = self._path(mark.at)
                if len(path):
                    self._traces[mark.name] = scene.add_line_segments(
                        f"/traces/{i}", path, PALETTE[(k - 1) % len(PALETTE)],
                        thickness=2.5, thickness_units="screen",
                        visible=self.switched.get("traces", True),
                    )  # fmt: skip
            key = "names" if mark.kind == "body" else "labels"
            label = scene.add_label(
                f"/bodies/{k}/label {i}", mark.name, position=point,
                visible=self.switched.get(key, False), anchor="bottom-left",
                font_screen_scale=0.85,
            )  # fmt: skip
            self._labels.append((key, label))

    def _path(self, anchor: Anchor) -> np.ndarray:
        points = self.motion.place(anchor)
        return np.stack([points[:-1], points[1:]], 1)

    def _arrows(self) -> None:
        size = self.motion.scene.size
        self.arrows = {
            kind: self.server.scene.add_arrows(
                f"/arrows/{kind}", np.zeros((1, 2, 3)), colour, shaft_radius=0.006 * size,
                head_radius=0.016 * size, head_length=0.036 * size, visible=False,
            )
            for kind, colour in (("reaction", REACTION), ("force", FORCE))
            if any(arrow.kind == kind for arrow in self.motion.scene.arrows)
        }  # fmt: skip

    # --- changed

    def switch(self, key: str, on: bool) -> None:
        """Show or hide what belongs to a switch."""
        self.switched[key] = on
        if key == "axes":
            for part, mesh in zip(self.motion.scene.parts, self._parts, strict=True):
                if part.kind == "axis":
                    mesh.visible = on
        elif key == "traces":
            for line in self._traces.values():
                line.visible = on
        elif key in ("labels", "names"):
            for owner, label in self._labels:
                if owner == key:
                    label.visible = on
        elif key == "frames":
            for frame in self.frames:
                frame.show_axes = on
        elif key in self.arrows:
            self.arrows[key].visible = on

    def replace(self, motion: SceneMotion) -> None:
        """Show another motion of the same machine, whose parameters may differ."""
        before, self.motion = self.motion.scene, motion
        self._vectors.clear()
        with self.server.atomic():
            if motion.scene is not before:
                self._reshape(before, motion.scene)
            for mark in motion.scene.marks:
                if mark.name in self._traces:
                    self._traces[mark.name].points = self._path(mark.at)

    def _reshape(self, before: DrawnScene, after: DrawnScene) -> None:
        """Take over shapes that depend on parameters."""
        for old, new, mesh in zip(before.parts, after.parts, self._parts, strict=True):
            if not np.array_equal(old.surface.vertices, new.surface.vertices):
                mesh.vertices = new.surface.vertices.astype(np.float32)
                mesh.faces = new.surface.faces.astype(np.uint32)

    def show(self, t: float) -> None:
        """Place everything at a time [s]."""
        motion = self.motion
        positions, orientations = at_time(motion, t)
        rotations = rotation_matrices(orientations)
        with self.server.atomic():
            for k, frame in enumerate(self.frames[1:], start=1):
                frame.position = positions[k]
                frame.wxyz = orientations[k]
            for tie, mesh in zip(motion.scene.ties, self.ties, strict=True):
                a, b = (positions[k] + rotations[k] @ np.array(x) for k, x in tie.ends)
                mesh.position = a
                mesh.wxyz = euler_parameters(upright(b - a).tolist())
                length = float(np.linalg.norm(b - a))
                mesh.scale = (tie.radius, tie.radius, max(length, 1e-9))
            for kind, handle in self.arrows.items():
                if self.switched.get(kind):
                    handle.points = self._arrow_points(kind, t, positions, rotations)

    def _arrow_points(
        self, kind: str, t: float, positions: np.ndarray, rotations: np.ndarray
    ) -> np.ndarray:
        found = []
        for i, arrow in enumerate(self.motion.scene.arrows):
            if arrow.kind != kind:
                continue
            vectors, scale = self._scaled(arrow.unit)
            k, point = arrow.at
            start = positions[k] + rotations[k] @ np.array(point)
            now = [np.interp(t, self.motion.t, vectors[i][:, c]) for c in range(3)]
            tip = start + scale * np.array(now)
            if np.linalg.norm(tip - start) > 1e-3 * self.motion.scene.size:
                found.append([start, tip])
        return np.array(found, dtype=np.float32).reshape(-1, 2, 3)

    def _scaled(self, unit: str) -> tuple[dict[int, np.ndarray], float]:
        """Return all vectors of a unit by the number of their arrow, and metres for one."""
        if unit not in self._vectors:
            found = {
                i: self.motion.vectors(arrow)
                for i, arrow in enumerate(self.motion.scene.arrows)
                if arrow.unit == unit
            }
            most = [float(np.linalg.norm(v, axis=1).max(initial=0.0)) for v in found.values()]
            self._vectors[unit] = found, ARROW * self.motion.scene.size / (max(most) or 1.0)
        return self._vectors[unit]


def at_time(motion: SceneMotion, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (bodies, 3) and Euler parameters (bodies, 4) between two records."""
    i = int(np.clip(np.searchsorted(motion.t, t, side="right") - 1, 0, len(motion.t) - 1))
    j = min(i + 1, len(motion.t) - 1)
    gap = motion.t[j] - motion.t[i]
    part = float(np.clip((t - motion.t[i]) / gap, 0.0, 1.0)) if gap > 0 else 0.0
    p, q = motion.orientations[i], motion.orientations[j]
    q = np.where(np.sum(p * q, axis=1, keepdims=True) < 0, -q, q)
    turned = (1 - part) * p + part * q
    turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return (1 - part) * motion.positions[i] + part * motion.positions[j], turned
