//! VelocyPack: zero-copy views, builder, validator and serde support
