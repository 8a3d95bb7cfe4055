//! Paths as AQL values.

use bumpalo::Bump;
use persea_functions::{ArenaBuilder, Environment};
use persea_order::Value;
use persea_planner::plan::PathParts;

use super::graph_source::{EdgeId, GraphReader};
use crate::Error;

/// What a path's weights are shown as.
#[derive(Clone, Copy)]
pub(crate) enum PathWeights<'w> {
    /// The weight up to each vertex.
    Each(&'w [f64]),
    /// The weight of the whole path.
    Total(f64),
    /// Not at all.
    Hidden,
}

/// Builds `{vertices, edges, …}` with the parts that are read.
pub(crate) fn path_value<'s, 'q>(
    reader: &mut GraphReader<'q>,
    vertices: &[&'q str],
    edges: &[EdgeId],
    weights: PathWeights<'_>,
    parts: PathParts,
    arena: &'s Bump,
    env: &'s Environment,
) -> Result<Value<'s>, Error> {
    let mut builder = ArenaBuilder::new(arena, env);
    builder.open_object();
    if parts.vertices {
        builder.key("vertices");
        builder.open_array();
        for &vertex in vertices {
            builder.add(reader.vertex(vertex)?);
        }
        builder.close();
    }
    if parts.edges {
        builder.key("edges");
        builder.open_array();
        for &edge in edges {
            builder.add(reader.edge(edge)?);
        }
        builder.close();
    }
    if parts.weights {
        match weights {
            PathWeights::Each(weights) => {
                builder.key("weights");
                builder.open_array();
                weights.iter().for_each(|&weight| builder.add(number(weight)));
                builder.close();
            }
            PathWeights::Total(weight) => builder.entry("weight", number(weight)),
            PathWeights::Hidden => {}
        }
    }
    builder.close();
    Ok(builder.finish()?)
}

/// Whole numbers are written as such.
fn number(weight: f64) -> Value<'static> {
    if weight.fract() == 0.0 && weight.abs() < 9.0e15 {
        Value::from_i64(weight as i64)
    } else {
        Value::from_f64(weight)
    }
}
