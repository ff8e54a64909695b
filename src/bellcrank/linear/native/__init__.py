"""Native code of linear algebra, and what all native code is written with."""
