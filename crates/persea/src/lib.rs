//! Persea, the embeddable multi-model database: documents, graphs, key/value and AQL
