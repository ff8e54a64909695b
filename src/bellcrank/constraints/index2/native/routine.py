"""The routine that implicit methods with constraints leave their linear algebra to.

It is compiled once for all methods and machines; `calls` has the calls of it. The one
for sparse matrices, `sparse_saddle`, answers the same requests.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native import algebra, second_order, solutions
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.index2.native.residuals import (
    left_over,
    residuals,
    take_jacobian,
)
from bellcrank.constraints.native.machine import part
from bellcrank.kernels.native.run import run_at
from bellcrank.linear.native.raw import doubles


def saddle(block, first, second, third, what):
    """Do what is asked; return 1 if it could be done, else 0.

    Args:
        block: Address of the record of the run.
        first: Address of a state, of a right-hand side that a solution replaces, or of a
            vector.
        second: Whether stages hold positions; or the imaginary part of that side; or μ; or
            where a product is wanted.
        third: Address where residuals are wanted.
        what: The request, one of those in `index2.table`; its numbers are in `numbers`.
    """
    run = run_at(block)
    table = saddle_at(run.saddle)
    numbers = part(run.matrices, table.numbers)
    x, y, good = numbers[0], numbers[1], True
    if what == d.TAKE:
        good = take_jacobian(run, x, first, second != 0)
    elif what == d.FACTOR_REAL:
        good = algebra.factor_real(run, x)
    elif what == d.FACTOR_COMPLEX:
        good = algebra.factor_complex(run, x, y)
    elif what == d.SOLVE_REAL:
        solutions.solve_real(run, x, doubles(first))
    elif what == d.SOLVE_COMPLEX:
        solutions.solve_complex(run, x, y, doubles(first), doubles(second))
    elif what == d.RESIDUALS:
        residuals(run, x, first, doubles(second), doubles(third))
    elif what == d.HALFWAY:
        second_order.halfway(run)
    elif what == d.MOVE:
        second_order.move(run)
    elif what == d.LACKING:
        left_over(run, doubles(run.x1), doubles(first))
    elif what == d.RATES:
        second_order.rates(run, doubles(first))
    elif what == d.FACTOR_SECOND:
        good = second_order.factor_second(run, x, y)
    elif what == d.SOLVE_SECOND:
        second_order.solve_second(run, x, y, doubles(first))
    elif what == d.PUSH:
        algebra.push(run, doubles(first), doubles(second))
    elif what == d.MASS_TIMES:
        algebra.mass_times(run, doubles(first), doubles(second))
    return 1 if good else 0
