//! Objects with only some of their attributes: `KEEP`, `UNSET`, `KEEP_RECURSIVE`, `UNSET_RECURSIVE`.

use crate::function::MANY;
use bumpalo::collections::Vec as BumpVec;
use persea_order::{Value, View};

use crate::builder::ArenaBuilder;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("KEEP", (2, MANY), "KEEP(object, name, …)", "The object with only these attributes.", keep),
    Function::new(
        "KEEP_RECURSIVE",
        (2, MANY),
        "KEEP_RECURSIVE(object, name, …)",
        "The object with only these attributes, at all levels.",
        keep_recursive,
    ),
    Function::new(
        "UNSET",
        (2, MANY),
        "UNSET(object, name, …)",
        "The object without these attributes.",
        unset,
    ),
    Function::new(
        "UNSET_RECURSIVE",
        (2, MANY),
        "UNSET_RECURSIVE(object, name, …)",
        "The object without these attributes, at all levels.",
        unset_recursive,
    ),
];

/// Attribute names, sorted.
struct Names<'a>(BumpVec<'a, &'a str>);

impl<'a> Names<'a> {
    /// The names in the arguments after the object: texts, numbers, or lists of texts.
    fn new(ctx: &Context<'a>, args: &[Value<'a>]) -> Option<Self> {
        let mut names = ctx.vec();
        for argument in args.iter().skip(1) {
            match argument.view() {
                View::Str(name) => names.push(name),
                View::Int(_) | View::UInt(_) | View::Double(_) => names.push(ctx.text(*argument)),
                View::Array(_) => {
                    for name in argument.elements() {
                        names.push(name.as_str()?);
                    }
                }
                _ => return None,
            }
        }
        names.sort_unstable();
        Some(Self(names))
    }

    fn contains(&self, name: &str) -> bool {
        self.0.binary_search(&name).is_ok()
    }
}

/// Whether the named attributes stay or go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Stay,
    Go,
}

fn keep<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    flat(ctx, args, Named::Stay)
}

fn unset<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    flat(ctx, args, Named::Go)
}

fn flat<'a>(ctx: &Context<'a>, args: &[Value<'a>], named: Named) -> Result<Value<'a>, Error> {
    let object = arg(args, 0);
    let Some(names) = Names::new(ctx, args).filter(|_| object.is_object()) else {
        return ctx.invalid_argument();
    };
    let mut builder = ctx.builder();
    builder.open_object();
    for (name, value) in object.attributes() {
        if names.contains(name) == (named == Named::Stay) {
            builder.entry(name, value);
        }
    }
    builder.close();
    builder.finish()
}

fn keep_recursive<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    recursive(ctx, args, Named::Stay)
}

fn unset_recursive<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    recursive(ctx, args, Named::Go)
}

fn recursive<'a>(ctx: &Context<'a>, args: &[Value<'a>], named: Named) -> Result<Value<'a>, Error> {
    let object = arg(args, 0);
    let Some(names) = Names::new(ctx, args).filter(|_| object.is_object()) else {
        return ctx.invalid_argument();
    };
    let mut builder = ctx.builder();
    add_recursively(&mut builder, object, &names, named, persea_vpack::DEPTH_MAX);
    builder.finish()
}

fn add_recursively(
    builder: &mut ArenaBuilder<'_>,
    object: Value<'_>,
    names: &Names<'_>,
    named: Named,
    n_levels: usize,
) {
    builder.open_object();
    for (name, value) in object.attributes() {
        if names.contains(name) != (named == Named::Stay) {
            continue;
        }
        builder.key(name);
        if value.is_object() && n_levels > 0 {
            add_recursively(builder, value, names, named, n_levels - 1);
        } else {
            builder.add(value);
        }
    }
    builder.close();
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    const TREE: &str = "{\"foo\":{\"bar\":{\"foo\":1,\"baz\":2},\"baz\":3},\"baz\":4}";

    fn check_tree(name: &str, names: &str, expected: &str) {
        check(&format!("{name}({TREE},{names})"), expected);
    }

    #[test]
    fn keeps() {
        check_tree("KEEP", "\"foo\"", "{\"foo\":{\"bar\":{\"foo\":1,\"baz\":2},\"baz\":3}}");
        check_tree("KEEP", "\"bar\"", "{}");
        check_tree("KEEP", "[\"foo\",\"baz\"]", TREE);
        check("KEEP({\"1\":2,\"3\":4},1)", "{\"1\":2}");
        check_warning("KEEP(7,\"a\")", "null", 1542);
        check_warning("KEEP({},[1])", "null", 1542);
        check_warning("KEEP({},null)", "null", 1542);
        check_tree("KEEP_RECURSIVE", "\"foo\"", "{\"foo\":{}}");
        check_tree("KEEP_RECURSIVE", "\"bar\"", "{}");
        check_tree("KEEP_RECURSIVE", "\"baz\"", "{\"baz\":4}");
        check_tree("KEEP_RECURSIVE", "\"foo\",\"bar\"", "{\"foo\":{\"bar\":{\"foo\":1}}}");
        check_tree("KEEP_RECURSIVE", "\"foo\",\"baz\"", "{\"foo\":{\"baz\":3},\"baz\":4}");
        check_tree("KEEP_RECURSIVE", "[\"foo\",\"bar\",\"baz\"]", TREE);
    }

    #[test]
    fn unsets() {
        check_tree("UNSET", "\"foo\"", "{\"baz\":4}");
        check_tree("UNSET", "\"bar\"", TREE);
        check_tree("UNSET", "\"foo\",\"baz\"", "{}");
        check_warning("UNSET([],\"a\")", "null", 1542);
        check_tree("UNSET_RECURSIVE", "\"foo\"", "{\"baz\":4}");
        check_tree("UNSET_RECURSIVE", "\"bar\"", "{\"foo\":{\"baz\":3},\"baz\":4}");
        check_tree("UNSET_RECURSIVE", "\"baz\"", "{\"foo\":{\"bar\":{\"foo\":1}}}");
        check_tree("UNSET_RECURSIVE", "[\"foo\",\"bar\"]", "{\"baz\":4}");
        check("UNSET_RECURSIVE({\"a\":[{\"b\":1}]},\"b\")", "{\"a\":[{\"b\":1}]}");
    }
}
