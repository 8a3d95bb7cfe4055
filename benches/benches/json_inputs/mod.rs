//! JSON texts to measure with: generated from a fixed seed, the same on every machine.

use std::fmt::Write;

/// A text, or several to be taken one after the other.
pub struct Input {
    /// What the figures call it.
    pub name: &'static str,
    /// The texts; all but `small` have one.
    pub texts: Vec<Vec<u8>>,
}

impl Input {
    /// Size of all texts together.
    pub fn bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.len() as u64).sum()
    }
}

/// All inputs.
pub fn all() -> Vec<Input> {
    let input = |name, texts| Input { name, texts };
    vec![
        input("twitter", vec![twitter(400)]),
        input("geojson", vec![geojson(300)]),
        input("small", (0..2_000).map(small).collect()),
        input("array", vec![records(5_000)]),
        input("integers", vec![integers(100_000)]),
    ]
}

/// SplitMix64: good enough to look random, and never different.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (self.next() >> 11) as f64 / (1u64 << 53) as f64 * (high - low)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[rustfmt::skip]
const WORDS: [&str; 24] = [
    "the", "avocado", "is", "ripe", "today", "and", "nobody", "knows", "why", "graph", "of", "edges", "meets",
    "documents", "in", "a", "small", "database", "that", "answers", "quickly", "when", "asked", "politely",
];
const WIDE_WORDS: [&str; 8] = ["アボカド", "は", "今日", "とても", "美味しい", "です", "ありがとう", "über"];

fn sentence(random: &mut Random, words: u64, wide: bool, out: &mut String) {
    for word in 0..words {
        if word > 0 {
            out.push(if wide { '、' } else { ' ' });
        }
        out.push_str(if wide { random.pick(&WIDE_WORDS) } else { random.pick(&WORDS) });
        if random.chance(2) {
            out.push_str("\\n");
        } else if random.chance(1) {
            out.push_str("\\\"");
        }
    }
}

/// Posts with nested users and entities, a third of the texts beyond ASCII, slashes escaped as that service does.
fn twitter(posts: usize) -> Vec<u8> {
    let random = &mut Random(1);
    let mut out = String::from("{\"statuses\":[");
    for post in 0..posts {
        if post > 0 {
            out.push(',');
        }
        status(random, &mut out);
    }
    let count = posts;
    write!(
        out,
        "],\"search_metadata\":{{\"completed_in\":0.087,\"max_id\":505874924095815681,\"count\":{count}}}}}"
    )
    .expect("a string grows");
    out.into_bytes()
}

fn status(random: &mut Random, out: &mut String) {
    let id = 505_000_000_000_000_000 + random.below(1_000_000_000_000_000);
    let wide = random.chance(33);
    write!(
        out,
        "{{\"metadata\":{{\"result_type\":\"recent\",\"iso_language_code\":\"{}\"}},\
         \"created_at\":\"Sun Aug 31 00:{:02}:{:02} +0000 2014\",\"id\":{id},\"id_str\":\"{id}\",\"text\":\"",
        if wide { "ja" } else { "en" },
        random.below(60),
        random.below(60),
    )
    .expect("a string grows");
    let words = 6 + random.below(14);
    sentence(random, words, wide, out);
    out.push_str(
        "\",\"source\":\"<a href=\\\"http:\\/\\/example.com\\/download\\\" rel=\\\"nofollow\\\">Example<\\/a>\",\
         \"truncated\":false,\"in_reply_to_status_id\":null,\"in_reply_to_user_id\":null,\
         \"in_reply_to_screen_name\":null,\"user\":",
    );
    user(random, wide, out);
    write!(
        out,
        ",\"geo\":null,\"coordinates\":null,\"place\":null,\"contributors\":null,\"retweet_count\":{},\
         \"favorite_count\":{},\"entities\":{{\"hashtags\":[],\"symbols\":[],\"urls\":[",
        random.below(100),
        random.below(20),
    )
    .expect("a string grows");
    for url in 0..random.below(3) {
        let (start, code) = (random.below(100), random.below(1 << 32));
        let comma = if url > 0 { "," } else { "" };
        write!(
            out,
            "{comma}{{\"url\":\"http:\\/\\/t.example\\/{code:x}\",\"expanded_url\":\
             \"http:\\/\\/blog.example.com\\/archives\\/{code}.html\",\"indices\":[{start},{}]}}",
            start + 22,
        )
        .expect("a string grows");
    }
    write!(
        out,
        "],\"user_mentions\":[]}},\"favorited\":false,\"retweeted\":{},\"lang\":\"{}\"}}",
        random.chance(50),
        if wide { "ja" } else { "en" },
    )
    .expect("a string grows");
}

fn user(random: &mut Random, wide: bool, out: &mut String) {
    let id = random.below(3_000_000_000);
    write!(out, "{{\"id\":{id},\"id_str\":\"{id}\",\"name\":\"").expect("a string grows");
    sentence(random, 2, wide, out);
    write!(out, "\",\"screen_name\":\"user_{id}\",\"location\":\"\",\"description\":\"")
        .expect("a string grows");
    let words = 4 + random.below(12);
    sentence(random, words, wide, out);
    write!(
        out,
        "\",\"url\":null,\"protected\":false,\"followers_count\":{},\"friends_count\":{},\"listed_count\":{},\
         \"created_at\":\"Fri Mar 19 23:18:50 +0000 2010\",\"favourites_count\":{},\"utc_offset\":32400,\
         \"time_zone\":\"Tokyo\",\"geo_enabled\":{},\"verified\":false,\"statuses_count\":{},\
         \"contributors_enabled\":false,\"profile_background_color\":\"C0DEED\",\
         \"profile_background_image_url\":\"http:\\/\\/images.example.com\\/images\\/themes\\/theme1\\/bg.png\",\
         \"profile_image_url\":\"http:\\/\\/images.example.com\\/profile_images\\/{id}\\/normal.jpeg\",\
         \"profile_link_color\":\"0084B4\",\"profile_use_background_image\":true,\"default_profile\":{}}}",
        random.below(10_000),
        random.below(2_000),
        random.below(30),
        random.below(5_000),
        random.chance(40),
        random.below(100_000),
        random.chance(70),
    )
    .expect("a string grows");
}

/// Outlines whose coordinates have six decimals in one half of the features and all digits of a double in the other.
fn geojson(features: usize) -> Vec<u8> {
    let random = &mut Random(2);
    let mut out = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    for feature in 0..features {
        let comma = if feature > 0 { "," } else { "" };
        write!(
            out,
            "{comma}{{\"type\":\"Feature\",\"properties\":{{\"name\":\"outline {feature}\"}},\
             \"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[["
        )
        .expect("a string grows");
        let (longitude, latitude) = (random.between(-140.0, -60.0), random.between(42.0, 83.0));
        for point in 0..100 {
            let comma = if point > 0 { "," } else { "" };
            let x = longitude + random.between(-0.5, 0.5);
            let y = latitude + random.between(-0.5, 0.5);
            if feature % 2 == 0 {
                write!(out, "{comma}[{x:.6},{y:.6}]").expect("a string grows");
            } else {
                write!(out, "{comma}[{x},{y}]").expect("a string grows");
            }
        }
        out.push_str("]]}}");
    }
    out.push_str("]}");
    out.into_bytes()
}

/// A document of about 200 bytes as an application stores it.
fn small(number: usize) -> Vec<u8> {
    let random = &mut Random(3_000_000 + number as u64);
    let mut out = String::new();
    write!(
        out,
        "{{\"_key\":\"{:08}\",\"name\":\"Customer {number}\",\"email\":\"c{number}@mail.example\",\"age\":{},\
         \"active\":{},\"score\":{:.2},\"tags\":[\"{}\",\"{}\"],\"address\":{{\"street\":\"{} street {}\",\
         \"zip\":\"{:05}\"}},\"visits\":{}}}",
        random.below(100_000_000),
        18 + random.below(70),
        random.chance(50),
        random.between(0.0, 100.0),
        random.pick(&WORDS),
        random.pick(&WORDS),
        random.pick(&WORDS),
        random.below(200),
        random.below(100_000),
        random.below(1_000),
    )
    .expect("a string grows");
    out.into_bytes()
}

/// One array of flat records, as a bulk insert sends it.
fn records(count: usize) -> Vec<u8> {
    let random = &mut Random(4);
    let mut out = String::from("[");
    for record in 0..count {
        let comma = if record > 0 { "," } else { "" };
        write!(
            out,
            "{comma}{{\"_key\":\"key{record:09}\",\"value\":{record},\"group\":{},\"name\":\"document number {record}\",\
             \"active\":{},\"score\":{}}}",
            random.below(1_000),
            random.chance(33),
            record as f64 * 0.37,
        )
        .expect("a string grows");
    }
    out.push(']');
    out.into_bytes()
}

/// One array of integers of 1 to 19 digits, half of them negative.
fn integers(count: usize) -> Vec<u8> {
    let random = &mut Random(5);
    let mut out = String::from("[");
    for index in 0..count {
        let comma = if index > 0 { "," } else { "" };
        let shift = 1 + random.below(63);
        let number = (random.next() >> shift) as i64;
        let number = if random.chance(50) { -number } else { number };
        write!(out, "{comma}{number}").expect("a string grows");
    }
    out.push(']');
    out.into_bytes()
}
