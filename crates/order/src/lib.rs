//! AQL values and their total order: compare, hash, memcomparable sort keys, collation
