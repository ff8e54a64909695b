"""The records that native code of integrators works on, by their addresses."""

from bellcrank.integrators import audit_table, contract, saddle_table, sparse_table
from bellcrank.linear.native.raw import field, record

run_at = record(contract.LAYOUT)
saddle_at = record(saddle_table.LAYOUT)
audit_at = record(audit_table.LAYOUT)
iteration_at = record(sparse_table.LAYOUT)

inputs_of = field(contract.LAYOUT, "in_t")  # addresses that a kernel of a run is called with
outputs_of = field(contract.LAYOUT, "out")
audit_outputs_of = field(audit_table.LAYOUT, "out")
rates_outputs_of = field(audit_table.LAYOUT, "out_power")
