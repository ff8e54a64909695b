"""The mathematics of frames, on floats, expressions, symbols (`casadi.SX`) and letters.

| module | what it has |
| --- | --- |
| `arithmetic` | vectors and matrices of scalars, zeros and ones folded away |
| `attitudes` | rotations and rate matrices of Euler parameters on such scalars |
| `angle_sequences` | three angles in any sequence; rate matrices and their inverse |
| `vectors` | `Expr` and unit vectors, for what is written in CasADi's matrices |
| `letters` | scalars, vectors and matrices that print themselves, for worksheets |
| `formula`, `latex`, `breaking` | formulas laid out, written, broken into lines |
"""
