//! Graph traversals and path searches over a neighbour trait
