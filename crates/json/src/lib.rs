//! JSON text to and from VelocyPack, without an intermediate tree
