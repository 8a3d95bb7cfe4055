//! What an index is: definitions, key extraction and order-preserving keys
