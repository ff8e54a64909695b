"""The KUKA iiwa14 of REFERENCES 5.2 as URDF, written from its published numbers."""

_HALF, _PI = "1.570796326794897", "3.141592653589793"

# of links 1 … 7: origin of the joint [m], its roll, pitch and yaw [rad]; mass centre [m],
# mass [kg] and moments of inertia about it (xx, yy, zz) [kg m²]
_TABLE = [
    ("0 0 0.1575", "0 0 0", "0 -0.03 0.12", 5.76, (0.033, 0.0333, 0.0123)),
    ("0 0 0.2025", f"{_HALF} 0 {_PI}", "0.0003 0.059 0.042", 6.35, (0.0305, 0.0304, 0.011)),
    ("0 0.2045 0", f"{_HALF} 0 {_PI}", "0 0.03 0.13", 3.5, (0.025, 0.0238, 0.0076)),
    ("0 0 0.2155", f"{_HALF} 0 0", "0 0.067 0.034", 3.5, (0.017, 0.0164, 0.006)),
    ("0 0.1845 0", f"-{_HALF} {_PI} 0", "0.0001 0.021 0.076", 3.5, (0.01, 0.0087, 0.00449)),
    ("0 0 0.2155", f"{_HALF} 0 0", "0 0.0006 0.0004", 1.8, (0.0049, 0.0047, 0.0036)),
    ("0 0.081 0", f"-{_HALF} {_PI} 0", "0 0 0.02", 1.2, (0.001, 0.001, 0.001)),
]
_BASE = ("-0.1 0 0.07", 5.0, (0.05, 0.06, 0.03))


def _link(k: int, com: str, mass: float, moments: tuple[float, float, float]) -> str:
    xx, yy, zz = moments
    return (
        f'<link name="iiwa_link_{k}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
    )


def _joint(k: int, xyz: str, rpy: str) -> str:
    return (
        f'<joint name="iiwa_joint_{k}" type="revolute"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="iiwa_link_{k - 1}"/><child link="iiwa_link_{k}"/>'
        '<axis xyz="0 0 1"/></joint>'
    )


IIWA = "\n".join([
    '<robot name="iiwa14">',
    _link(0, *_BASE),
    *(_joint(k, row[0], row[1]) + _link(k, *row[2:]) for k, row in enumerate(_TABLE, 1)),
    "</robot>",
])
