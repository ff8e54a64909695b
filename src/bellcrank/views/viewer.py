"""A machine in the browser: scene, plots, timeline, and sliders that run it again.

One thread keeps the clock and places bodies; one worker runs the machine for the newest
request. The server is on this computer only, behind a gate.
"""

import contextlib
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bellcrank.errors import BellcrankError, IntegrationFailed, OptionError
from bellcrank.results import Result
from bellcrank.results.words import line
from bellcrank.views import dashboard
from bellcrank.views.controls import Controls, Slider, ViewRequest, gathered
from bellcrank.views.gate import GuardedServer, escaped
from bellcrank.views.mailbox import Mailbox
from bellcrank.views.motion import SceneMotion, moving
from bellcrank.views.page import speed as first_speed
from bellcrank.views.ports import HOST, free_port
from bellcrank.views.scene import DrawnScene
from bellcrank.views.stage import Stage

FRAME = 1 / 30  # seconds between pictures
MARK = 0.12  # seconds between moves of the line in plots, and of the time slider
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
SWITCHES = {
    "traces": ("traces of points", True),
    "labels": ("names of joints and points", True),
    "names": ("names of bodies", False),
    "axes": ("joint axes", False),
    "frames": ("body frames", False),
    "reaction": ("reactions", False),
    "force": ("forces", False),
}


class Viewer:
    """A view that is being served.

    Args:
        run: What is shown at first.
        draw: Returns the scene for values of the parameters.
        controls: What can be turned; None for a run that is only played.
        port: The port to try first.
        dark: Whether it is dark at first.
        say: What is done with a line for the user.
    """

    def __init__(
        self,
        run: Result,
        draw: Callable[[dict[str, float]], DrawnScene],
        controls: Controls | None = None,
        *,
        port: int = 8080,
        dark: bool = False,
        say: Callable[[str], None] = print,
    ) -> None:
        self.run, self.draw, self.controls, self._dark = run, draw, controls, dark
        self.motion: SceneMotion = moving(draw(run.provenance.get("parameters", {})), run)
        self.begin, self.end = float(run.t[0]), float(run.t[-1])
        self.time, self.playing, self.loop = self.begin, True, True
        self.speed = first_speed(self.end - self.begin)
        self.host, self.port = HOST, free_port(port, say)
        with contextlib.redirect_stdout(io.StringIO()):  # it has a banner of its own
            self.server = GuardedServer(self.port)
        self.port = self.server.get_port()
        self._over = threading.Event()
        self._dirty = True
        self._lock = threading.RLock()
        self._touched: set[int] = set()
        self._method = ("", "") if controls is None else _first(controls)
        self.stage = Stage(self.server, self.motion, {k: on for k, (_, on) in SWITCHES.items()})
        self._theme(dark)
        self._panels()
        self.stage.show(self.time)
        self.worker: Mailbox[ViewRequest] = Mailbox(self._rerun, self.complain)
        self._clock = threading.Thread(target=self._tick, name="bellcrank clock", daemon=True)
        self._clock.start()

    @property
    def url(self) -> str:
        """Where the view is, for those who are told."""
        return f"http://{self.host}:{self.port}/{self.server.gate.token}/"

    def wait(self) -> None:
        """Wait until Ctrl-C, or until somebody closes the view; then close it."""
        try:
            while not self._over.wait(0.2):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """End the server and its threads."""
        if not self._over.is_set() or self._clock.is_alive():
            self._over.set()
            self.worker.close()
            self._clock.join(2.0)
            with contextlib.redirect_stdout(io.StringIO()):
                self.server.stop()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<view of {self.motion.scene.name!r} at {self.host}:{self.port}>"

    # --- panels

    def _theme(self, dark: bool) -> None:
        self.server.gui.configure_theme(
            dark_mode=dark, show_logo=False, show_share_button=False, control_width="medium",
            brand_color=(46, 124, 214),
        )  # fmt: skip

    def _panels(self) -> None:
        gui = self.server.gui
        gui.set_panel_label(self.motion.scene.name)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(310)
        self._timeline()
        self.status = gui.add_markdown(self._status(None))
        if self.controls is not None:
            self._sliders(self.controls)
        with gui.add_folder("show", expand_by_default=self.controls is None):
            self._switches()
        panel = gui.add_panel()
        with panel.add_tab("plots"):
            offered = dashboard.charts(self.run)
            self.plots = [
                dashboard.Plot(self.server, self.run, offered, k, 172)
                for k in range(min(3, len(offered)))
            ]
        panel.dock_left()
        panel.set_width(350)

    def _timeline(self) -> None:
        gui = self.server.gui
        with gui.add_folder("time"):
            self.slider = gui.add_slider(
                "t [s]", self.begin, max(self.end, self.begin + 1e-9),
                (self.end - self.begin) / 1000 or 1.0, self.begin,
            )  # fmt: skip
            self.button = gui.add_button("❚❚ pause")
            speeds = tuple(f"{s:g}×" for s in sorted({*SPEEDS, self.speed}))
            pace = gui.add_dropdown("speed", speeds, initial_value=f"{self.speed:g}×")
            loop = gui.add_checkbox("loop", True)

        @self.slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # ours are not requests
                self.play(False)
                self.seek(float(self.slider.value))

        @self.button.on_click
        def _(_: Any) -> None:
            self.play(not self.playing)

        @pace.on_update
        def _(_: Any) -> None:
            self.speed = float(pace.value.rstrip("×"))

        @loop.on_update
        def _(_: Any) -> None:
            self.loop = loop.value

    def _switches(self) -> None:
        gui, scene = self.server.gui, self.motion.scene
        there = {"labels": scene.marks, "names": scene.bodies[1:], "frames": True}
        there |= {"traces": [mark for mark in scene.marks if mark.kind == "point"]}
        there |= {"axes": [part for part in scene.parts if part.kind == "axis"]}
        there |= {
            kind: [a for a in scene.arrows if a.kind == kind] for kind in self.stage.arrows
        }
        for key, (words, on) in SWITCHES.items():
            if not there.get(key):
                continue
            box = gui.add_checkbox(words, on)
            box.on_update(self._switcher(key, box))
        dark = gui.add_checkbox("dark", self._dark)
        dark.on_update(lambda _: self._theme(dark.value))
        gui.add_markdown(f"<small>grid {self.stage.cell:g} m</small>")

    def _switcher(self, key: str, box: Any) -> Callable[[Any], None]:
        def switched(_: Any) -> None:
            self.stage.switch(key, box.value)
            self._dirty = True

        return switched

    def _sliders(self, controls: Controls) -> None:
        gui = self.server.gui
        self._values: dict[str, list[Any]] = {"parameters": [], "start": []}
        groups = (("parameters", controls.parameters), ("start", controls.start))
        for title, sliders in groups:
            if not sliders:
                continue
            with gui.add_folder(title):
                for i, slider in enumerate(sliders):
                    self._values[title].append(self._slider(slider, title, i))
        with gui.add_folder("method", expand_by_default=False):
            self._methods = [
                gui.add_dropdown(words, names, initial_value=names[0])
                for words, names in (
                    ("formulation", controls.formulations),
                    ("integrator", controls.integrators),
                )
                if names
            ]
            for choice in self._methods:
                choice.on_update(lambda _: self._request())
        reset = gui.add_button("↺ as it was")

        @reset.on_click
        def _(_: Any) -> None:
            for title, sliders in groups:
                for handle, slider in zip(self._values[title], sliders, strict=False):
                    handle.value = slider.value
            self._touched.clear()
            self._request()

    def _slider(self, slider: Slider, title: str, i: int) -> Any:
        handle = self.server.gui.add_slider(
            slider.label, slider.low, slider.high, slider.step, slider.value
        )

        @handle.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                if title == "start":
                    self._touched.add(i)
                self._request()

        return handle

    # --- running again

    def _request(self) -> None:
        """Leave a request with what all controls say."""
        controls = self.controls
        assert controls is not None
        turned = [handle.value for handle in self._values["parameters"]]
        names = [slider.name for slider in controls.parameters]
        values = [handle.value for handle in self._values["start"]]
        start = gathered(controls, values, self._touched)
        method = [choice.value for choice in self._methods]
        parameters = dict(zip(names, turned, strict=True))
        self.worker.put(ViewRequest(parameters, start, method[0], method[1]))

    def _rerun(self, request: ViewRequest) -> None:
        assert self.controls is not None
        begun, trouble = time.perf_counter(), ""
        method = (request.formulation, request.integrator)
        if method != self._method:
            self._method = method
            self.status.content = f"running with {' and '.join(method)} …"
        try:
            rerun = self.controls.choose(request.formulation, request.integrator)
            run = rerun(request.parameters, request.start)
        except IntegrationFailed as error:
            run, trouble = error.run, f"stopped at t = {error.time:.6g} s: {error.reason}"
        if len(run.t) < 2:
            raise OptionError(trouble or "the run has no records to show.")
        known = run.provenance.get("parameters", {})
        same = known == self.run.provenance.get("parameters", {})
        motion = moving(self.motion.scene if same else self.draw(known), run)
        with self._lock:
            self.run, self.motion = run, motion
            self.begin, self.end = float(run.t[0]), float(run.t[-1])
            self.time = min(self.time, self.end)
            self.stage.replace(motion)
            self.stage.show(self.time)
            for plot in self.plots:
                plot.replace(run)
        self.status.content = self._status(time.perf_counter() - begun, trouble)

    def complain(self, error: Exception) -> None:
        """Show an error below the controls, as text that does nothing."""
        words = (
            str(error)
            if isinstance(error, BellcrankError)
            else f"{type(error).__name__}: {error}"
        )
        self.status.content = self._status(None, words)

    def _status(self, seconds: float | None, trouble: str = "") -> str:
        """Return what is known of the run, in words, as Markdown."""
        audit, statistics = self.run.judged or self.run.audit, self.run.statistics
        facts = [escaped(line(audit))] if audit else []
        if "steps" in statistics:
            facts.append(f"{statistics['steps']} steps")
        if seconds is not None:
            facts.append(f"{1e3 * seconds:.0f} ms")
        warning = f"\n\n**⚠ {escaped(trouble)}**" if trouble else ""
        return " · ".join(facts) + warning

    # --- time

    def play(self, yes: bool) -> None:
        """Play, or pause."""
        self.playing = yes
        self.button.label = "❚❚ pause" if yes else "► play"
        if yes and self.time >= self.end:
            self.time = self.begin

    def seek(self, t: float) -> None:
        """Go to a time [s]."""
        self.time = float(np.clip(t, self.begin, self.end))
        self._dirty = True

    def _tick(self) -> None:
        last, marked, shown, pause = time.perf_counter(), 0.0, np.nan, FRAME
        while not self._over.wait(pause):
            now = time.perf_counter()
            if self.playing:
                self._advance((now - last) * self.speed)
            last = now
            if not self.server.get_clients() or not (self._dirty or self.time != shown):
                continue  # nobody looks, or nothing changed
            with self._lock:
                self._dirty, shown = False, self.time
                self.stage.show(shown)
                if now - marked > MARK or not self.playing:
                    marked = now
                    self._mark()
            # Machines of many bodies leave time for everything else.
            pause = max(FRAME, 2 * (time.perf_counter() - now))

    def _advance(self, step: float) -> None:
        t = self.time + step
        if t > self.end:
            if not self.loop:
                self.play(False)
            span = self.end - self.begin
            t = self.begin + (t - self.begin) % span if self.loop and span > 0 else self.end
        self.time = t

    def _mark(self) -> None:
        self.slider.value = float(np.clip(self.time, self.slider.min, self.slider.max))
        for plot in self.plots:
            plot.mark(self.time)


def _first(controls: Controls) -> tuple[str, str]:
    """Return the names of the methods chosen at first."""
    return (*controls.formulations[:1], "")[0], (*controls.integrators[:1], "")[0]
