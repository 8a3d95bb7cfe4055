//! JSON text to VelocyPack and back, beside the fastest parsers and writers there are.
//!
//! All read the same generated texts, with buffers reused where the interface allows it. Parsers that change the text
//! they read get a copy each time, as a caller with a shared text would make it. The fastest of many passes counts,
//! since other programs slow down some.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
// For its allocator, which is the server's.
use persea_benches as _;
use persea_json::Parser;
use persea_vpack::{Builder, VPackBuf};
use simd_json::{Buffers, INPUT_PADDING, Tape};

mod json_inputs;

use json_inputs::Input;

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("json_parse");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for input in json_inputs::all() {
        group.throughput(Throughput::Bytes(input.bytes()));
        parse_ours(&mut group, &input);
        parse_tape(&mut group, &input);
        parse_peers(&mut group, &input);
    }
    group.finish();
}

fn parse_ours(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let (mut parser, mut builder) = (Parser::default(), Builder::new());
    measure(group, "persea", input, || {
        for text in &input.texts {
            builder.clear();
            parser.parse_into(text, &mut builder).expect("the text is JSON");
            black_box(builder.bytes());
        }
    });
    let mut parser = Parser::default();
    measure(group, "persea: owned value", input, || {
        for text in &input.texts {
            black_box(parser.parse(text).expect("the text is JSON"));
        }
    });
}

/// The first half of what simd-json does: its tape points into the text and is no value yet.
fn parse_tape(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let (mut buffers, mut padded) = (Buffers::default(), Vec::new());
    let mut kept = Tape::null().reset();
    measure(group, "limit: simd-json tape", input, || {
        for text in &input.texts {
            let mut tape = std::mem::replace(&mut kept, Tape::null()).reset();
            padded.clear();
            padded.extend_from_slice(text);
            padded.resize(text.len() + INPUT_PADDING, b' ');
            simd_json::fill_tape_padded(&mut padded, text.len(), &mut buffers, &mut tape)
                .expect("the text is JSON");
            black_box(&tape.0);
            kept = tape.reset();
        }
    });
}

fn parse_peers(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let mut copy = Vec::new();
    measure(group, "peer: simd-json borrowed value", input, || {
        for text in &input.texts {
            copy.clear();
            copy.extend_from_slice(text);
            black_box(simd_json::to_borrowed_value(&mut copy).expect("the text is JSON"));
        }
    });
    measure(group, "peer: serde_json value", input, || {
        for text in &input.texts {
            black_box(serde_json::from_slice::<serde_json::Value>(text).expect("the text is JSON"));
        }
    });
    measure(group, "peer: sonic-rs value", input, || {
        for text in &input.texts {
            black_box(sonic_rs::from_slice::<sonic_rs::Value>(text).expect("the text is JSON"));
        }
    });
}

fn write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("json_write");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for input in json_inputs::all() {
        let texts = || input.texts.iter();
        let ours: Vec<VPackBuf> =
            texts().map(|text| persea_json::parse(text).expect("the text is JSON")).collect();
        let length: usize = ours.iter().map(|value| persea_json::to_string(value.as_slice()).len()).sum();
        group.throughput(Throughput::Bytes(length as u64));
        let mut out = Vec::new();
        measure(&mut group, "persea", &input, || {
            for value in &ours {
                out.clear();
                persea_json::write(value.as_slice(), &mut out);
                black_box(&out);
            }
        });
        measure(&mut group, "persea: to_string", &input, || {
            for value in &ours {
                black_box(persea_json::to_string(value.as_slice()));
            }
        });
        let serde: Vec<serde_json::Value> =
            texts().map(|text| serde_json::from_slice(text).expect("the text is JSON")).collect();
        measure(&mut group, "peer: serde_json to_vec", &input, || {
            for value in &serde {
                black_box(serde_json::to_vec(value).expect("a value can be written"));
            }
        });
        let sonic: Vec<sonic_rs::Value> =
            texts().map(|text| sonic_rs::from_slice(text).expect("the text is JSON")).collect();
        measure(&mut group, "peer: sonic-rs to_vec", &input, || {
            for value in &sonic {
                black_box(sonic_rs::to_vec(value).expect("a value can be written"));
            }
        });
    }
    group.finish();
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, input: &Input, mut pass: impl FnMut()) {
    group.bench_function(BenchmarkId::new(name, input.name), |bencher| {
        bencher.iter_custom(|passes| {
            let fastest = (0..passes).map(|_| {
                let start = Instant::now();
                pass();
                start.elapsed()
            });
            fastest.min().unwrap_or_default() * passes as u32
        });
    });
}

criterion_group!(benches, parse, write);
criterion_main!(benches);
