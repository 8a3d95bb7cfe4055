//! Ordered key-value engines behind one small trait: LMDB and memory
