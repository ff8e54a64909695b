"""What stands on worksheets, labelled and evaluated; random forests to write them of."""

import numpy as np
from tests.laws.evaluation import Evaluated
from tests.views.reading import Sym, skew, value
from tests.views.unconstrained import flat, geometry, rotation

import bellcrank as bc
from bellcrank import testing
from bellcrank.worksheets.blocks import Values
from bellcrank.worksheets.joints import joint_rows
from bellcrank.worksheets.machine import NumberedMachine

FAMILIES = {
    ("v", (), "y1"): "v1",
    ("v", (), "y2"): "v2",
    ("v", ("dot",), "y1"): "v1 rate",
    ("v", ("dot",), "y2"): "v2 rate",
    ("ω", (), "y1"): "spin",
}


def worth(tree):
    """Return what each symbol of a page is worth in a state."""
    n = len(tree.lower)

    def symbol(sym):
        if sym == Sym("I"):
            return np.eye(3)
        if sym == Sym("y"):
            return tree.y
        if sym.letter == "R":
            return tree.R[int(sym.sub) - 1]
        if sym.letter == "ω" and sym.sub.endswith(",y"):
            k = int(sym.sub.removesuffix(",y"))
            return np.hstack([flat(tree.spin_blocks(k)), np.zeros((3, 3 * n))])
        assert sym.sup == "′", sym
        vectors = {"r": tree.r, "q": tree.q, "s": tree.s, "ω": tree.w}
        rows = tree.sd if "dot" in sym.marks else vectors[sym.letter]
        vector = rows[int(sym.sub) - 1]
        return skew(vector) if "tilde" in sym.marks else vector

    return symbol


def labelled(rows):
    """Return block rows by (family, body); the left side is [v_{K,y1}] or the like."""
    found = {}
    for left, cells in rows:
        inner = [token for token in left if isinstance(token, Sym)]
        assert len(inner) == 1, left
        assert (left[0], left[2]) == ("[", "]")
        body, _, unknown = inner[0].sub.partition(",")
        family = FAMILIES[inner[0].letter, inner[0].marks, unknown]
        assert (family, int(body)) not in found
        found[family, int(body)] = cells
    return found


def evaluated(cell, symbol):
    """Return a block as a 3×3 matrix; a zero in brackets is the zero block."""
    return np.zeros((3, 3)) + (0.0 if cell == ["[", 0.0, "]"] else value(cell, symbol))


FORESTS = [(4, 11), (7, 12), (9, 13)]


def forest(count, seed):
    """Return a machine of several trees whose bodies are given in no good order."""
    rng = np.random.default_rng(seed)
    lower = [0, *(int(rng.integers(0, k + 1)) for k in range(1, count))]
    lower[count // 2] = 0  # at least two trees
    kinds = [str(kind) for kind in rng.choice(testing.KINDS, count)]
    model = testing.machine(kinds, lower, seed)
    bodies = [model.bodies[i] for i in rng.permutation(count)]
    return bc.Model(model.name, bodies=bodies, joints=model.joints, points=model.points)


def moving(model, q, u):
    """Return R, s′, ω′, ṡ′ of all bodies, from what joint coordinates say of body space."""
    found = Evaluated(model)
    pose, twist, _ = found.bodies(q, u, np.zeros(len(u)))
    places = [found.equations.bodies.index(name) for name in model.graph.order]
    lower, r, arms = geometry(model)
    R, w, O, v, s, sd = [], [], [], [], [], []
    for k, place in enumerate(places):
        p = pose[:, place]
        R.append(rotation([*p[4:], p[3]]))
        w.append(R[k] @ twist[:3, place])
        O.append(p[:3] - R[k].T @ r[k])
        v.append(twist[3:, place] - R[k].T @ np.cross(w[k], r[k]))
    for k, low in enumerate(lower):
        j = low - 1
        turn = R[j] if low else np.eye(3)
        out = turn @ (O[k] - (O[j] if low else 0.0))
        s.append(out - arms[k])
        spin = w[j] if low else np.zeros(3)
        sd.append(turn @ (v[k] - (v[j] if low else 0.0)) - np.cross(spin, out))
    return [np.array(part) for part in (R, s, w, sd)]


def stacked(model, state):
    """Return all rows b, and y."""
    machine = NumberedMachine(model)
    rows = joint_rows(machine)
    constants = machine.constants | {k: v for row in rows for k, v in row.constants.items()}
    at = Values(constants, *state)
    y = np.concatenate([at.w.ravel(), at.sd.ravel()])
    return np.concatenate([row.matrix(at) for row in rows]), y
