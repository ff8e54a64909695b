"""What rolls: rows of speeds without rows of positions."""

import bellcrank as bc


def disc() -> bc.Model:
    """Return a disc of 1 kg that rolls on the ground, drawn upright."""
    return bc.Model(
        "disc",
        bodies=[bc.Body("disc", bc.Disc(0.5, (0, 0, 0.5), "y", mass=1.0))],
        joints=[bc.Free("F", "ground", "disc")],
        constraints=[
            bc.RollingDisc("contact", "disc", center=(0, 0, 0.5), axis="y", radius=0.5)
        ],
    )
