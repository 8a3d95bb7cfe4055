//! How alike texts are: `LEVENSHTEIN_DISTANCE`, `NGRAM_SIMILARITY`, `NGRAM_POSITIONAL_SIMILARITY`, `SOUNDEX`.

use bumpalo::collections::Vec as BumpVec;
use persea_order::Value;

use crate::context::arg;
use crate::numeric::strict_number;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "LEVENSHTEIN_DISTANCE",
        (2, 2),
        "LEVENSHTEIN_DISTANCE(text1, text2)",
        "Number of edits between two texts.",
        levenshtein_distance,
    ),
    Function::new(
        "NGRAM_POSITIONAL_SIMILARITY",
        (3, 3),
        "NGRAM_POSITIONAL_SIMILARITY(input, target, n)",
        "Likeness by n-grams, partial matches counted.",
        ngram_positional_similarity,
    ),
    Function::new(
        "NGRAM_SIMILARITY",
        (3, 3),
        "NGRAM_SIMILARITY(input, target, n)",
        "Likeness by n-grams.",
        ngram_similarity,
    ),
    Function::new("SOUNDEX", (1, 1), "SOUNDEX(text)", "Code of what the text sounds like.", soundex),
];

/// Longest text these functions compare, in code points: their time grows with the product of both lengths.
const COMPARED_CHARS_MAX: usize = 1 << 14;

fn characters<'a>(ctx: &Context<'a>, text: &str) -> Result<BumpVec<'a, char>, Error> {
    let mut characters = ctx.vec();
    characters.extend(text.chars());
    if characters.len() > COMPARED_CHARS_MAX {
        return Err(Error::ResourceLimit);
    }
    Ok(characters)
}

fn levenshtein_distance<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let left = characters(ctx, ctx.text(arg(args, 0)))?;
    let right = characters(ctx, ctx.text(arg(args, 1)))?;
    Ok(Value::from_u64(edit_distance(ctx, &left, &right, true)? as u64))
}

/// Insertions, deletions, substitutions and (if wanted) swaps of neighbours, each counted once.
pub(crate) fn edit_distance(
    ctx: &Context<'_>,
    left: &[char],
    right: &[char],
    swaps: bool,
) -> Result<usize, Error> {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous_left = None;
    for (row, left_char) in left.iter().enumerate() {
        ctx.work(right.len())?;
        let mut current = Vec::with_capacity(last.len());
        let mut to_the_left = row + 1;
        current.push(to_the_left);
        let mut previous_right = None;
        for (column, (right_char, above)) in right.iter().zip(last.windows(2)).enumerate() {
            let &[diagonal, above] = above else { break };
            let mut cost =
                (diagonal + usize::from(left_char != right_char)).min(above + 1).min(to_the_left + 1);
            let swapped = swaps && previous_left == Some(right_char) && previous_right == Some(left_char);
            if swapped && let Some(before) = column.checked_sub(1).and_then(|at| before_last.get(at)) {
                cost = cost.min(before + 1);
            }
            current.push(cost);
            to_the_left = cost;
            previous_right = Some(right_char);
        }
        before_last = std::mem::replace(&mut last, current);
        previous_left = Some(left_char);
    }
    Ok(last.last().copied().unwrap_or(0))
}

fn ngram_similarity<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some((input, target, n)) = ngram_arguments(ctx, args)? else { return ctx.invalid_argument() };
    if input.len() < n || target.len() < n {
        return Ok(Value::from_i64(i64::from(input == target)));
    }
    let full_match = |left: &[char], right: &[char]| if left == right { 1.0 } else { 0.0 };
    let matched = longest_match(ctx, &target, &input, n, full_match)?;
    Ok(single(matched / (target.len() - n + 1) as f32))
}

fn ngram_positional_similarity<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some((input, target, n)) = ngram_arguments(ctx, args)? else { return ctx.invalid_argument() };
    let (shorter, longer) = if target.len() > input.len() { (input, target) } else { (target, input) };
    let same = |left: &[char], right: &[char]| left.iter().zip(right).filter(|(x, y)| x == y).count() as f32;
    if longer.is_empty() {
        return Ok(Value::from_i64(1));
    }
    if shorter.len() < n {
        return Ok(single(same(&shorter, &longer) / longer.len() as f32));
    }
    let part_match = |left: &[char], right: &[char]| same(left, right) / n as f32;
    let matched = longest_match(ctx, &shorter, &longer, n, part_match)?;
    Ok(single(matched / (longer.len() - n + 1) as f32))
}

/// Results are single-precision numbers.
fn single<'a>(number: f32) -> Value<'a> {
    Value::from_f64(f64::from(number))
}

type NgramArguments<'a> = (BumpVec<'a, char>, BumpVec<'a, char>, usize);

fn ngram_arguments<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Option<NgramArguments<'a>>, Error> {
    let (Some(input), Some(target), Some(n)) =
        (arg(args, 0).as_str(), arg(args, 1).as_str(), strict_number(arg(args, 2)))
    else {
        return Ok(None);
    };
    if n < 1.0 {
        return Ok(None);
    }
    Ok(Some((characters(ctx, input)?, characters(ctx, target)?, n as usize)))
}

/// The best sum of similarities over n-grams matched in the same order on both sides.
fn longest_match(
    ctx: &Context<'_>,
    rows: &[char],
    columns: &[char],
    n: usize,
    similarity: impl Fn(&[char], &[char]) -> f32,
) -> Result<f32, Error> {
    let mut best = ctx.vec();
    best.resize(columns.len() - n + 1, 0.0_f32);
    for row in rows.windows(n) {
        ctx.work(columns.len())?;
        let (mut diagonal, mut to_the_left) = (0.0, 0.0);
        for (column, above) in columns.windows(n).zip(best.iter_mut()) {
            let current = f32::max(*above, to_the_left).max(diagonal + similarity(row, column));
            diagonal = std::mem::replace(above, current);
            to_the_left = current;
        }
    }
    Ok(best.last().copied().unwrap_or(0.0))
}

fn soundex<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let mut code = ctx.string_buffer();
    let mut previous = None;
    for character in text.chars() {
        let sound = sound(character);
        if code.is_empty() {
            if sound.is_some() {
                code.push(character.to_ascii_uppercase());
            }
        } else if let Some(digit) = sound
            && digit != '0'
            && sound != previous
        {
            code.push(digit);
        }
        previous = sound;
        if code.len() == 4 {
            break;
        }
    }
    while (1..4).contains(&code.len()) {
        code.push('0');
    }
    Ok(Value::from_str(code.into_bump_str()))
}

/// The group of like-sounding letters; `'0'` for vowels and their kin, none for what is not a letter.
fn sound(character: char) -> Option<char> {
    Some(match character.to_ascii_lowercase() {
        'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h' | 'w' => '0',
        'b' | 'f' | 'p' | 'v' => '1',
        'c' | 'g' | 'j' | 'k' | 'q' | 's' | 'x' | 'z' => '2',
        'd' | 't' => '3',
        'l' => '4',
        'm' | 'n' => '5',
        'r' => '6',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn distances() {
        check("LEVENSHTEIN_DISTANCE(\"foobar\",\"bar\")", "3");
        check("LEVENSHTEIN_DISTANCE(\" \",\"\")", "1");
        check("LEVENSHTEIN_DISTANCE(\"\",\"pear\")", "4");
        check("LEVENSHTEIN_DISTANCE(\"kitten\",\"sitting\")", "3");
        check("LEVENSHTEIN_DISTANCE(\"quick\",\"quikc\")", "1");
        check("LEVENSHTEIN_DISTANCE(\"ein großes öl\",\"großes öl\")", "4");
        check(
            "LEVENSHTEIN_DISTANCE(\"The quick brown fox jumps over the lazy dog\",\"The quick black dog jumps over the brown fox\")",
            "13",
        );
    }

    #[test]
    fn n_grams() {
        check("NGRAM_SIMILARITY(\"quick fox\",\"quick foxx\",2)", "0.8888888955116272");
        check("NGRAM_SIMILARITY(\"quick fox\",\"quick foxx\",3)", "0.875");
        check("NGRAM_SIMILARITY(\"quick fox\",\"quirky fox\",2)", "0.5555555820465088");
        check("NGRAM_SIMILARITY(\"quick fox\",\"quirky fox\",3)", "0.375");
        check("NGRAM_POSITIONAL_SIMILARITY(\"quick fox\",\"quick foxx\",2)", "0.8888888955116272");
        check("NGRAM_POSITIONAL_SIMILARITY(\"quick fox\",\"quick foxx\",3)", "0.875");
        check("NGRAM_POSITIONAL_SIMILARITY(\"quick fox\",\"quirky fox\",2)", "0.7222222089767456");
        check("NGRAM_POSITIONAL_SIMILARITY(\"quick fox\",\"quirky fox\",3)", "0.6666666865348816");
        check("NGRAM_SIMILARITY(\"a\",\"a\",2)", "1");
        check("NGRAM_SIMILARITY(\"a\",\"b\",2)", "0");
        check_warning("NGRAM_SIMILARITY(\"a\",\"b\",0)", "null", 1542);
        check_warning("NGRAM_SIMILARITY(1,\"b\",2)", "null", 1542);
        check_warning("NGRAM_POSITIONAL_SIMILARITY(\"a\",\"b\",\"2\")", "null", 1542);
    }

    #[test]
    fn sounds() {
        check("SOUNDEX(\"example\")", "\"E251\"");
        check("SOUNDEX(\"ekzampul\")", "\"E251\"");
        check("SOUNDEX(\"soundex\")", "\"S532\"");
        check("SOUNDEX(\"sounteks\")", "\"S532\"");
        check("SOUNDEX(\" a1\")", "\"A000\"");
        check("SOUNDEX(\"\")", "\"\"");
        check("SOUNDEX(17)", "\"\"");
    }
}
