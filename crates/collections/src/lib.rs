//! Databases, collections and documents: catalog, document writes with index upkeep
