//! The table of all functions. Sorted by name, which [`lookup`] relies on and a test checks.

use crate::function::{Function, MANY};
use crate::{array, date, geo, misc, numeric, object, string, type_cast, type_check};

/// Finds a function by its upper-case name.
pub fn lookup(name_upper: &str) -> Option<&'static Function> {
    FUNCTIONS.binary_search_by(|function| function.name.cmp(name_upper)).ok().and_then(|at| FUNCTIONS.get(at))
}

/// All functions, sorted by name.
pub fn all() -> &'static [Function] {
    FUNCTIONS
}

use Function as F;

static FUNCTIONS: &[Function] = &[
    F::new("ABS", (1, 1), "ABS(value)", "Distance of a number from zero.", numeric::abs),
    F::new("ACOS", (1, 1), "ACOS(value)", "Arc cosine.", numeric::acos),
    F::new(
        "ANALYZER",
        (2, 2),
        "ANALYZER(expression, analyzer)",
        "The expression; sets the analyzer inside of a search.",
        misc::pass_through,
    ),
    F::new(
        "APPEND",
        (2, 3),
        "APPEND(list, values [, unique])",
        "A list with more members at its end.",
        array::append,
    ),
    F::new(
        "APPLY",
        (1, 2),
        "APPLY(name [, arguments])",
        "Calls a function by name with a list of arguments.",
        misc::apply,
    )
    .volatile()
    .reads()
    .no_prune(),
    F::new(
        "APPROX_NEAR_COSINE",
        (2, 3),
        "APPROX_NEAR_COSINE(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        misc::approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    F::new(
        "APPROX_NEAR_INNER_PRODUCT",
        (2, 3),
        "APPROX_NEAR_INNER_PRODUCT(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        misc::approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    F::new(
        "APPROX_NEAR_L2",
        (2, 3),
        "APPROX_NEAR_L2(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        misc::approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    F::new("ASIN", (1, 1), "ASIN(value)", "Arc sine.", numeric::asin),
    F::new(
        "ASSERT",
        (2, 2),
        "ASSERT(condition, message)",
        "Ends the query if a condition does not hold.",
        misc::assert,
    )
    .effect()
    .lazy(),
    F::new("ATAN", (1, 1), "ATAN(value)", "Arc tangent.", numeric::atan),
    F::new("ATAN2", (2, 2), "ATAN2(y, x)", "Angle of a point.", numeric::atan2),
    F::new(
        "ATTRIBUTES",
        (1, 3),
        "ATTRIBUTES(object [, removeSystem [, sort]])",
        "Names of the attributes.",
        object::attributes,
    ),
    F::new("AVERAGE", (1, 1), "AVERAGE(list)", "Average of the numbers in a list.", numeric::average),
    F::new("AVG", (1, 1), "AVG(list)", "Average of the numbers in a list.", numeric::average),
    F::new(
        "BIT_AND",
        (1, 2),
        "BIT_AND(listOrNumber [, number])",
        "Bitwise and of numbers.",
        numeric::bit_and,
    ),
    F::new(
        "BIT_CONSTRUCT",
        (1, 1),
        "BIT_CONSTRUCT(positions)",
        "Number with the bits at these positions set.",
        numeric::bit_construct,
    ),
    F::new(
        "BIT_DECONSTRUCT",
        (1, 1),
        "BIT_DECONSTRUCT(number)",
        "Positions of the bits set.",
        numeric::bit_deconstruct,
    ),
    F::new(
        "BIT_FROM_STRING",
        (1, 1),
        "BIT_FROM_STRING(text)",
        "Number from binary digits.",
        numeric::bit_from_string,
    ),
    F::new(
        "BIT_NEGATE",
        (2, 2),
        "BIT_NEGATE(number, bits)",
        "The lowest bits inverted.",
        numeric::bit_negate,
    ),
    F::new("BIT_OR", (1, 2), "BIT_OR(listOrNumber [, number])", "Bitwise or of numbers.", numeric::bit_or),
    F::new("BIT_POPCOUNT", (1, 1), "BIT_POPCOUNT(number)", "Number of bits set.", numeric::bit_popcount),
    F::new(
        "BIT_SHIFT_LEFT",
        (3, 3),
        "BIT_SHIFT_LEFT(number, shift, bits)",
        "Bits moved up.",
        numeric::bit_shift_left,
    ),
    F::new(
        "BIT_SHIFT_RIGHT",
        (3, 3),
        "BIT_SHIFT_RIGHT(number, shift, bits)",
        "Bits moved down.",
        numeric::bit_shift_right,
    ),
    F::new("BIT_TEST", (2, 2), "BIT_TEST(number, index)", "Whether a bit is set.", numeric::bit_test),
    F::new(
        "BIT_TO_STRING",
        (2, 2),
        "BIT_TO_STRING(number, bits)",
        "Binary digits of a number.",
        numeric::bit_to_string,
    ),
    F::new(
        "BIT_XOR",
        (1, 2),
        "BIT_XOR(listOrNumber [, number])",
        "Bitwise exclusive or of numbers.",
        numeric::bit_xor,
    ),
    F::missing(
        "BM25",
        (1, 3),
        "BM25(document [, k [, b]])",
        "Score of a search result.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new(
        "BOOST",
        (2, 2),
        "BOOST(expression, boost)",
        "The expression; weighs it inside of a search.",
        misc::pass_through,
    ),
    F::new("CALL", (1, MANY), "CALL(name, argument, …)", "Calls a function by name.", misc::call)
        .volatile()
        .reads()
        .no_prune(),
    F::new("CEIL", (1, 1), "CEIL(value)", "The integer not below the number.", numeric::ceil),
    F::new("CHAR_LENGTH", (1, 1), "CHAR_LENGTH(text)", "Number of characters.", string::char_length),
    F::new(
        "CHECK_DOCUMENT",
        (1, 1),
        "CHECK_DOCUMENT(document)",
        "Whether an object has no attribute twice.",
        misc::check_document,
    ),
    F::new("COLLECTIONS", (0, 0), "COLLECTIONS()", "The collections of the database.", misc::collections)
        .uncached()
        .reads()
        .no_prune(),
    F::new(
        "COLLECTION_COUNT",
        (1, 1),
        "COLLECTION_COUNT(collection)",
        "Number of documents in a collection.",
        misc::collection_count,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    F::new("CONCAT", (1, MANY), "CONCAT(value, …)", "The values as one text.", string::concat),
    F::new(
        "CONCAT_SEPARATOR",
        (2, MANY),
        "CONCAT_SEPARATOR(separator, value, …)",
        "The values as one text, with a separator in between.",
        string::concat_separator,
    ),
    F::new(
        "CONTAINS",
        (2, 3),
        "CONTAINS(text, search [, returnIndex])",
        "Whether, or where, a text contains another.",
        string::contains,
    ),
    F::new(
        "CONTAINS_ARRAY",
        (2, 3),
        "CONTAINS_ARRAY(list, search [, returnIndex])",
        "Whether, or where, a list has a member.",
        array::position,
    ),
    F::new("COS", (1, 1), "COS(value)", "Cosine.", numeric::cos),
    F::new(
        "COSINE_SIMILARITY",
        (2, 2),
        "COSINE_SIMILARITY(x, y)",
        "Cosine of the angle between vectors.",
        numeric::cosine_similarity,
    ),
    F::new(
        "COUNT",
        (1, 1),
        "COUNT(value)",
        "Number of members, attributes, characters, or documents.",
        array::length,
    )
    .counts_collection()
    .lazy(),
    F::new(
        "COUNT_DISTINCT",
        (1, 1),
        "COUNT_DISTINCT(list)",
        "Number of distinct members.",
        array::count_distinct,
    ),
    F::new(
        "COUNT_UNIQUE",
        (1, 1),
        "COUNT_UNIQUE(list)",
        "Number of distinct members.",
        array::count_distinct,
    ),
    F::new("CRC32", (1, 1), "CRC32(text)", "CRC-32C checksum in hexadecimal.", string::crc32),
    F::new("CURRENT_DATABASE", (0, 0), "CURRENT_DATABASE()", "Name of the database.", misc::current_database)
        .uncached()
        .unfoldable()
        .no_prune(),
    F::new("CURRENT_USER", (0, 0), "CURRENT_USER()", "Name of the user.", misc::current_user)
        .uncached()
        .unfoldable()
        .no_prune(),
    F::new("DATE_ADD", (2, 4), "DATE_ADD(date, amount, unit [, timezone])", "A later date.", date::date_add),
    F::new(
        "DATE_COMPARE",
        (3, 6),
        "DATE_COMPARE(date1, date2, unitStart [, unitEnd [, timezone1 [, timezone2]]])",
        "Whether dates agree from one unit to another.",
        date::date_compare,
    ),
    F::new("DATE_DAY", (1, 2), "DATE_DAY(date [, timezone])", "Day of the month.", date::date_day),
    F::new(
        "DATE_DAYOFWEEK",
        (1, 2),
        "DATE_DAYOFWEEK(date [, timezone])",
        "Day of the week, Sunday is 0.",
        date::date_dayofweek,
    ),
    F::new(
        "DATE_DAYOFYEAR",
        (1, 2),
        "DATE_DAYOFYEAR(date [, timezone])",
        "Day of the year.",
        date::date_dayofyear,
    ),
    F::new(
        "DATE_DAYS_IN_MONTH",
        (1, 2),
        "DATE_DAYS_IN_MONTH(date [, timezone])",
        "Length of the month in days.",
        date::date_days_in_month,
    ),
    F::new(
        "DATE_DIFF",
        (3, 6),
        "DATE_DIFF(date1, date2, unit [, asFloat [, timezone1 [, timezone2]]])",
        "Time between dates.",
        date::date_diff,
    ),
    F::new(
        "DATE_FORMAT",
        (2, 3),
        "DATE_FORMAT(date, format [, timezone])",
        "A date in any format.",
        date::date_format,
    ),
    F::new("DATE_HOUR", (1, 2), "DATE_HOUR(date [, timezone])", "Hour.", date::date_hour),
    F::new("DATE_ISO8601", (1, 7), "DATE_ISO8601(date)", "Text of a date.", date::date_iso8601),
    F::new("DATE_ISOWEEK", (1, 2), "DATE_ISOWEEK(date [, timezone])", "ISO week.", date::date_isoweek),
    F::new(
        "DATE_ISOWEEKYEAR",
        (1, 2),
        "DATE_ISOWEEKYEAR(date [, timezone])",
        "ISO week and the year it belongs to.",
        date::date_isoweekyear,
    ),
    F::new(
        "DATE_LEAPYEAR",
        (1, 2),
        "DATE_LEAPYEAR(date [, timezone])",
        "Whether the year is a leap year.",
        date::date_leapyear,
    ),
    F::new(
        "DATE_LOCALTOUTC",
        (2, 3),
        "DATE_LOCALTOUTC(date, timezone [, zoneinfo])",
        "A date from the wall clock of a time zone.",
        date::date_localtoutc,
    ),
    F::new("DATE_MILLISECOND", (1, 1), "DATE_MILLISECOND(date)", "Millisecond.", date::date_millisecond),
    F::new("DATE_MINUTE", (1, 2), "DATE_MINUTE(date [, timezone])", "Minute.", date::date_minute),
    F::new("DATE_MONTH", (1, 2), "DATE_MONTH(date [, timezone])", "Month.", date::date_month),
    F::new("DATE_NOW", (0, 0), "DATE_NOW()", "When the query started, in milliseconds.", date::date_now)
        .uncached()
        .unfoldable(),
    F::new("DATE_QUARTER", (1, 2), "DATE_QUARTER(date [, timezone])", "Quarter.", date::date_quarter),
    F::new(
        "DATE_ROUND",
        (3, 4),
        "DATE_ROUND(date, amount, unit [, timezone])",
        "The start of the interval a date is in.",
        date::date_round,
    ),
    F::new("DATE_SECOND", (1, 1), "DATE_SECOND(date)", "Second.", date::date_second),
    F::new(
        "DATE_SUBTRACT",
        (2, 4),
        "DATE_SUBTRACT(date, amount, unit [, timezone])",
        "An earlier date.",
        date::date_subtract,
    ),
    F::new("DATE_TIMESTAMP", (1, 7), "DATE_TIMESTAMP(date)", "Milliseconds of a date.", date::date_timestamp),
    F::new("DATE_TIMEZONE", (0, 0), "DATE_TIMEZONE()", "Time zone of the server.", date::date_timezone)
        .uncached(),
    F::new("DATE_TIMEZONES", (0, 0), "DATE_TIMEZONES()", "Names of all time zones.", date::date_timezones),
    F::new(
        "DATE_TRUNC",
        (2, 3),
        "DATE_TRUNC(date, unit [, timezone])",
        "The start of the unit a date is in.",
        date::date_trunc,
    ),
    F::new(
        "DATE_UTCTOLOCAL",
        (2, 3),
        "DATE_UTCTOLOCAL(date, timezone [, zoneinfo])",
        "A date on the wall clock of a time zone.",
        date::date_utctolocal,
    ),
    F::new("DATE_YEAR", (1, 2), "DATE_YEAR(date [, timezone])", "Year.", date::date_year),
    F::new(
        "DECAY_EXP",
        (5, 5),
        "DECAY_EXP(value, origin, scale, offset, decay)",
        "Score that falls exponentially with distance.",
        numeric::decay_exp,
    ),
    F::new(
        "DECAY_GAUSS",
        (5, 5),
        "DECAY_GAUSS(value, origin, scale, offset, decay)",
        "Score that falls on a bell curve with distance.",
        numeric::decay_gauss,
    ),
    F::new(
        "DECAY_LINEAR",
        (5, 5),
        "DECAY_LINEAR(value, origin, scale, offset, decay)",
        "Score that falls linearly with distance.",
        numeric::decay_linear,
    ),
    F::new(
        "DECODE_REV",
        (1, 1),
        "DECODE_REV(revision)",
        "Time and count in a document revision.",
        misc::decode_rev,
    ),
    F::new("DEGREES", (1, 1), "DEGREES(value)", "Radians in degrees.", numeric::degrees),
    F::new(
        "DISTANCE",
        (4, 4),
        "DISTANCE(latitude1, longitude1, latitude2, longitude2)",
        "Metres between two places.",
        geo::distance,
    ),
    F::new(
        "DOCUMENT",
        (1, 2),
        "DOCUMENT([collection, ] id)",
        "Documents by identifier or key.",
        misc::document,
    )
    .volatile()
    .collection()
    .no_prune()
    .no_dynamic(),
    F::new(
        "ENCODE_URI_COMPONENT",
        (1, 1),
        "ENCODE_URI_COMPONENT(text)",
        "The text escaped for use in a URI.",
        string::encode_uri_component,
    ),
    F::new("ENTRIES", (1, 1), "ENTRIES(object)", "Names and values as pairs.", object::entries),
    F::missing(
        "EXISTS",
        (1, 3),
        "EXISTS(path [, type])",
        "Whether an attribute is indexed.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new("EXP", (1, 1), "EXP(value)", "Power of Euler's number.", numeric::exp),
    F::new("EXP2", (1, 1), "EXP2(value)", "Power of two.", numeric::exp2),
    F::new("FAIL", (0, 1), "FAIL([message])", "Ends the query.", misc::fail).effect(),
    F::new(
        "FIND_FIRST",
        (2, 4),
        "FIND_FIRST(text, search [, start [, end]])",
        "Position of the first occurrence, or -1.",
        string::find_first,
    ),
    F::new(
        "FIND_LAST",
        (2, 4),
        "FIND_LAST(text, search [, start [, end]])",
        "Position of the last occurrence, or -1.",
        string::find_last,
    ),
    F::new("FIRST", (1, 1), "FIRST(list)", "First member.", array::first).lazy(),
    F::new(
        "FIRST_DOCUMENT",
        (1, MANY),
        "FIRST_DOCUMENT(value, …)",
        "The first value that is an object.",
        misc::first_document,
    )
    .lazy(),
    F::new(
        "FIRST_LIST",
        (1, MANY),
        "FIRST_LIST(value, …)",
        "The first value that is an array.",
        misc::first_list,
    )
    .lazy(),
    F::new(
        "FLATTEN",
        (1, 2),
        "FLATTEN(list [, depth])",
        "Members of nested lists as one list.",
        array::flatten,
    ),
    F::new("FLOOR", (1, 1), "FLOOR(value)", "The integer not above the number.", numeric::floor),
    F::new("FNV64", (1, 1), "FNV64(text)", "FNV-1a hash in hexadecimal.", string::fnv64),
    F::new(
        "FULLTEXT",
        (3, 4),
        "FULLTEXT(collection, attribute, query [, limit])",
        "Documents from a fulltext index.",
        misc::fulltext,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    F::new(
        "GEO_AREA",
        (1, 2),
        "GEO_AREA(geometry [, ellipsoid])",
        "Square metres of an area.",
        geo::geo_area,
    ),
    F::new(
        "GEO_CONTAINS",
        (2, 2),
        "GEO_CONTAINS(area, geometry)",
        "Whether an area contains a geometry.",
        geo::geo_contains,
    ),
    F::new(
        "GEO_DISTANCE",
        (2, 3),
        "GEO_DISTANCE(geometry1, geometry2 [, ellipsoid])",
        "Metres between the centroids.",
        geo::geo_distance,
    ),
    F::new(
        "GEO_EQUALS",
        (2, 2),
        "GEO_EQUALS(geometry1, geometry2)",
        "Whether geometries are the same.",
        geo::geo_equals,
    ),
    F::new(
        "GEO_INTERSECTS",
        (2, 2),
        "GEO_INTERSECTS(geometry1, geometry2)",
        "Whether geometries have a point in common.",
        geo::geo_intersects,
    ),
    F::new(
        "GEO_IN_RANGE",
        (4, 7),
        "GEO_IN_RANGE(geometry1, geometry2, low, high [, includeLow [, includeHigh [, ellipsoid]]])",
        "Whether the distance lies in a range.",
        geo::geo_in_range,
    ),
    F::new("GEO_LINESTRING", (1, 1), "GEO_LINESTRING(points)", "A GeoJSON line.", geo::geo_linestring),
    F::new(
        "GEO_MULTILINESTRING",
        (1, 1),
        "GEO_MULTILINESTRING(lines)",
        "GeoJSON lines.",
        geo::geo_multilinestring,
    ),
    F::new("GEO_MULTIPOINT", (1, 1), "GEO_MULTIPOINT(points)", "GeoJSON points.", geo::geo_multipoint),
    F::new(
        "GEO_MULTIPOLYGON",
        (1, 1),
        "GEO_MULTIPOLYGON(polygons)",
        "GeoJSON polygons.",
        geo::geo_multipolygon,
    ),
    F::new(
        "GEO_POINT",
        (2, 3),
        "GEO_POINT(longitude, latitude [, elevation])",
        "A GeoJSON point.",
        geo::geo_point,
    ),
    F::new("GEO_POLYGON", (1, 1), "GEO_POLYGON(rings)", "A GeoJSON polygon.", geo::geo_polygon),
    F::new("HAS", (2, 2), "HAS(object, name)", "Whether there is such an attribute.", object::has),
    F::new("HASH", (1, 1), "HASH(value)", "A number that is the same for equal values.", misc::hash),
    F::new(
        "INTERLEAVE",
        (2, MANY),
        "INTERLEAVE(list1, list2, …)",
        "Members of lists taken in turn.",
        array::interleave,
    ),
    F::new(
        "INTERSECTION",
        (2, MANY),
        "INTERSECTION(list1, list2, …)",
        "Distinct members that all lists have.",
        array::intersection,
    ),
    F::new(
        "IN_RANGE",
        (5, 5),
        "IN_RANGE(value, low, high, includeLow, includeHigh)",
        "Whether a value lies between two others.",
        misc::in_range,
    ),
    F::new(
        "IPV4_FROM_NUMBER",
        (1, 1),
        "IPV4_FROM_NUMBER(number)",
        "The text of an IPv4 address.",
        string::ipv4_from_number,
    ),
    F::new(
        "IPV4_TO_NUMBER",
        (1, 1),
        "IPV4_TO_NUMBER(text)",
        "The number of an IPv4 address.",
        string::ipv4_to_number,
    ),
    F::new("IS_ARRAY", (1, 1), "IS_ARRAY(value)", "Whether the value is an array.", type_check::is_array)
        .lazy(),
    F::new("IS_BOOL", (1, 1), "IS_BOOL(value)", "Whether the value is a boolean.", type_check::is_bool)
        .lazy(),
    F::new(
        "IS_DATESTRING",
        (1, 1),
        "IS_DATESTRING(value)",
        "Whether the value is a text that date functions understand.",
        type_check::is_datestring,
    )
    .lazy(),
    F::new(
        "IS_DOCUMENT",
        (1, 1),
        "IS_DOCUMENT(value)",
        "Whether the value is an object.",
        type_check::is_object,
    )
    .lazy(),
    F::new(
        "IS_IN_POLYGON",
        (2, 3),
        "IS_IN_POLYGON(polygon, latitude [, longitude])",
        "Whether a place lies in a polygon.",
        geo::is_in_polygon,
    ),
    F::new(
        "IS_IPV4",
        (1, 1),
        "IS_IPV4(value)",
        "Whether the value is the text of an IPv4 address.",
        type_check::is_ipv4,
    )
    .lazy(),
    F::new(
        "IS_KEY",
        (1, 1),
        "IS_KEY(value)",
        "Whether the value is a text that can be a document key.",
        type_check::is_key,
    )
    .lazy(),
    F::new("IS_LIST", (1, 1), "IS_LIST(value)", "Whether the value is an array.", type_check::is_array)
        .lazy(),
    F::new("IS_NULL", (1, 1), "IS_NULL(value)", "Whether the value is null.", type_check::is_null).lazy(),
    F::new("IS_NUMBER", (1, 1), "IS_NUMBER(value)", "Whether the value is a number.", type_check::is_number)
        .lazy(),
    F::new("IS_OBJECT", (1, 1), "IS_OBJECT(value)", "Whether the value is an object.", type_check::is_object)
        .lazy(),
    F::new(
        "IS_SAME_COLLECTION",
        (2, 2),
        "IS_SAME_COLLECTION(collection, document)",
        "Whether a document belongs to a collection.",
        object::is_same_collection,
    ),
    F::new("IS_STRING", (1, 1), "IS_STRING(value)", "Whether the value is a string.", type_check::is_string)
        .lazy(),
    F::new("JACCARD", (2, 2), "JACCARD(list1, list2)", "Share of common members.", array::jaccard),
    F::new(
        "JSON_PARSE",
        (1, 1),
        "JSON_PARSE(text)",
        "The value that a JSON text stands for.",
        string::json_parse,
    ),
    F::new(
        "JSON_STRINGIFY",
        (1, 1),
        "JSON_STRINGIFY(value)",
        "The value as JSON text.",
        string::json_stringify,
    ),
    F::new(
        "KEEP",
        (2, MANY),
        "KEEP(object, name, …)",
        "The object with only these attributes.",
        object::keep,
    ),
    F::new(
        "KEEP_RECURSIVE",
        (2, MANY),
        "KEEP_RECURSIVE(object, name, …)",
        "The object with only these attributes, at all levels.",
        object::keep_recursive,
    ),
    F::new(
        "KEYS",
        (1, 3),
        "KEYS(object [, removeSystem [, sort]])",
        "Names of the attributes.",
        object::attributes,
    ),
    F::new(
        "L1_DISTANCE",
        (2, 2),
        "L1_DISTANCE(x, y)",
        "Manhattan distance of vectors.",
        numeric::l1_distance,
    ),
    F::new(
        "L2_DISTANCE",
        (2, 2),
        "L2_DISTANCE(x, y)",
        "Euclidean distance of vectors.",
        numeric::l2_distance,
    ),
    F::new("LAST", (1, 1), "LAST(list)", "Last member.", array::last).lazy(),
    F::new("LEFT", (2, 2), "LEFT(text, n)", "The first n characters.", string::left),
    F::new(
        "LENGTH",
        (1, 1),
        "LENGTH(value)",
        "Number of members, attributes, characters, or documents.",
        array::length,
    )
    .counts_collection()
    .lazy(),
    F::new(
        "LEVENSHTEIN_DISTANCE",
        (2, 2),
        "LEVENSHTEIN_DISTANCE(text1, text2)",
        "Number of edits between two texts.",
        string::levenshtein_distance,
    ),
    F::new(
        "LEVENSHTEIN_MATCH",
        (3, 6),
        "LEVENSHTEIN_MATCH(text, target, distance [, transpositions [, maxTerms [, prefix]]])",
        "Whether a text is near another.",
        misc::levenshtein_match,
    ),
    F::new(
        "LIKE",
        (2, 3),
        "LIKE(text, pattern [, caseInsensitive])",
        "Whether the text matches a pattern of % and _.",
        string::like,
    ),
    F::new("LOG", (1, 1), "LOG(value)", "Natural logarithm.", numeric::log),
    F::new("LOG10", (1, 1), "LOG10(value)", "Logarithm to base 10.", numeric::log10),
    F::new("LOG2", (1, 1), "LOG2(value)", "Logarithm to base 2.", numeric::log2),
    F::new("LOWER", (1, 1), "LOWER(text)", "The text in lower case.", string::lower),
    F::new(
        "LTRIM",
        (1, 2),
        "LTRIM(text [, chars])",
        "The text without the characters at its start.",
        string::ltrim,
    ),
    F::new(
        "MATCHES",
        (2, 3),
        "MATCHES(object, examples [, returnIndex])",
        "Whether, or which, example the object matches.",
        object::matches,
    ),
    F::new("MAX", (1, 1), "MAX(list)", "Largest value of a list.", numeric::max),
    F::new("MD5", (1, 1), "MD5(text)", "MD5 digest in hexadecimal.", string::md5),
    F::new("MEDIAN", (1, 1), "MEDIAN(list)", "Median of the numbers in a list.", numeric::median),
    F::new("MERGE", (1, MANY), "MERGE(object, …)", "One object with the attributes of all.", object::merge),
    F::new(
        "MERGE_RECURSIVE",
        (1, MANY),
        "MERGE_RECURSIVE(object, …)",
        "One object with the attributes of all, at all levels.",
        object::merge_recursive,
    ),
    F::new("MIN", (1, 1), "MIN(list)", "Smallest value of a list other than null.", numeric::min),
    F::new("MINHASH", (2, 2), "MINHASH(values, n)", "Signature of a set of values.", misc::minhash),
    F::new(
        "MINHASH_COUNT",
        (1, 1),
        "MINHASH_COUNT(error)",
        "Hashes needed for an error rate.",
        misc::minhash_count,
    ),
    F::new(
        "MINHASH_ERROR",
        (1, 1),
        "MINHASH_ERROR(n)",
        "Error rate of a number of hashes.",
        misc::minhash_error,
    ),
    F::missing(
        "MINHASH_MATCH",
        (4, 4),
        "MINHASH_MATCH(path, target, threshold, analyzer)",
        "Whether a set of values is like another.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new(
        "MINUS",
        (2, MANY),
        "MINUS(list1, list2, …)",
        "Distinct members that only the first list has.",
        array::minus,
    ),
    F::new(
        "MIN_MATCH",
        (2, MANY),
        "MIN_MATCH(condition, …, minMatchCount)",
        "Whether enough conditions hold.",
        misc::min_match,
    )
    .lazy(),
    F::new(
        "NEAR",
        (3, 5),
        "NEAR(collection, latitude, longitude [, limit [, distanceName]])",
        "Documents near a place.",
        misc::near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    F::missing(
        "NGRAM_MATCH",
        (2, 4),
        "NGRAM_MATCH(path, target [, threshold [, analyzer]])",
        "Whether an attribute is like a text.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new(
        "NGRAM_POSITIONAL_SIMILARITY",
        (3, 3),
        "NGRAM_POSITIONAL_SIMILARITY(input, target, n)",
        "Likeness by n-grams, partial matches counted.",
        string::ngram_positional_similarity,
    ),
    F::new(
        "NGRAM_SIMILARITY",
        (3, 3),
        "NGRAM_SIMILARITY(input, target, n)",
        "Likeness by n-grams.",
        string::ngram_similarity,
    ),
    F::new("NOEVAL", (1, 1), "NOEVAL(value)", "The value, not computed while planning.", misc::pass_through)
        .uncached()
        .unfoldable()
        .lazy(),
    F::new("NOOPT", (1, 1), "NOOPT(value)", "The value, hidden from the optimizer.", misc::pass_through)
        .volatile()
        .lazy(),
    F::new("NOT_NULL", (1, MANY), "NOT_NULL(value, …)", "The first value that is not null.", misc::not_null)
        .lazy(),
    F::new("NTH", (2, 2), "NTH(list, position)", "Member at a position.", array::nth).lazy(),
    F::missing(
        "OFFSET_INFO",
        (2, 2),
        "OFFSET_INFO(document, paths)",
        "Where a search result matched.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new(
        "OUTERSECTION",
        (2, MANY),
        "OUTERSECTION(list1, list2, …)",
        "Members that occur once in all lists together.",
        array::outersection,
    ),
    F::new(
        "PARSE_COLLECTION",
        (1, 1),
        "PARSE_COLLECTION(document)",
        "Collection name of an identifier.",
        object::parse_collection,
    ),
    F::new(
        "PARSE_IDENTIFIER",
        (1, 1),
        "PARSE_IDENTIFIER(document)",
        "Collection name and key of an identifier.",
        object::parse_identifier,
    ),
    F::new("PARSE_KEY", (1, 1), "PARSE_KEY(document)", "Key of an identifier.", object::parse_key),
    F::new("PASSTHRU", (1, 1), "PASSTHRU(value)", "The value.", misc::pass_through).lazy(),
    F::new(
        "PERCENTILE",
        (2, 3),
        "PERCENTILE(list, n [, method])",
        "Percentile of the numbers in a list.",
        numeric::percentile,
    ),
    F::missing(
        "PHRASE",
        (2, MANY),
        "PHRASE(path, part, …)",
        "Whether an attribute has tokens in a row.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new("PI", (0, 0), "PI()", "Circumference over diameter.", numeric::pi),
    F::new("POP", (1, 1), "POP(list)", "The list without its last member.", array::pop),
    F::new(
        "POSITION",
        (2, 3),
        "POSITION(list, search [, returnIndex])",
        "Whether, or where, a list has a member.",
        array::position,
    ),
    F::new("POW", (2, 2), "POW(base, exponent)", "Power.", numeric::pow),
    F::new("PRODUCT", (1, 1), "PRODUCT(list)", "Product of the numbers in a list.", numeric::product),
    F::new(
        "PUSH",
        (2, 3),
        "PUSH(list, value [, unique])",
        "The list with a member added at its end.",
        array::push,
    ),
    F::new("RADIANS", (1, 1), "RADIANS(value)", "Degrees in radians.", numeric::radians),
    F::new("RAND", (0, 0), "RAND()", "A random number between 0 and 1.", numeric::rand).volatile(),
    F::new("RANDOM", (0, 0), "RANDOM()", "A random number between 0 and 1.", numeric::rand).volatile(),
    F::new(
        "RANDOM_TOKEN",
        (1, 1),
        "RANDOM_TOKEN(length)",
        "Random letters and digits.",
        string::random_token,
    )
    .volatile(),
    F::new("RANGE", (2, 3), "RANGE(start, stop [, step])", "Numbers from start to stop.", numeric::range),
    F::new(
        "REGEX_MATCHES",
        (2, 3),
        "REGEX_MATCHES(text, regex [, caseInsensitive])",
        "The first match and its groups.",
        string::regex_matches,
    ),
    F::new(
        "REGEX_REPLACE",
        (3, 4),
        "REGEX_REPLACE(text, regex, replacement [, caseInsensitive])",
        "The text with all matches replaced.",
        string::regex_replace,
    ),
    F::new(
        "REGEX_SPLIT",
        (2, 4),
        "REGEX_SPLIT(text, regex [, caseInsensitive [, limit]])",
        "The parts of the text between matches.",
        string::regex_split,
    ),
    F::new(
        "REGEX_TEST",
        (2, 3),
        "REGEX_TEST(text, regex [, caseInsensitive])",
        "Whether a part of the text matches.",
        string::regex_test,
    ),
    F::new(
        "REMOVE_NTH",
        (2, 2),
        "REMOVE_NTH(list, position)",
        "The list without the member at a position.",
        array::remove_nth,
    ),
    F::new(
        "REMOVE_VALUE",
        (2, 3),
        "REMOVE_VALUE(list, value [, limit])",
        "The list without a value.",
        array::remove_value,
    ),
    F::new(
        "REMOVE_VALUES",
        (2, 2),
        "REMOVE_VALUES(list, values)",
        "The list without several values.",
        array::remove_values,
    ),
    F::new(
        "REPEAT",
        (2, 3),
        "REPEAT(text, count [, separator])",
        "The text a number of times.",
        string::repeat,
    ),
    F::new(
        "REPLACE_NTH",
        (3, 4),
        "REPLACE_NTH(list, position, value [, padding])",
        "The list with another member at a position.",
        array::replace_nth,
    ),
    F::new("REVERSE", (1, 1), "REVERSE(value)", "A text or array from back to front.", string::reverse),
    F::new("RIGHT", (2, 2), "RIGHT(text, n)", "The last n characters.", string::right),
    F::new("ROUND", (1, 1), "ROUND(value)", "The nearest integer, halves up.", numeric::round),
    F::new(
        "RTRIM",
        (1, 2),
        "RTRIM(text [, chars])",
        "The text without the characters at its end.",
        string::rtrim,
    ),
    F::new("SCHEMA_GET", (1, 1), "SCHEMA_GET(collection)", "Schema of a collection.", misc::schema_get)
        .effect()
        .collection()
        .no_prune()
        .no_dynamic(),
    F::new(
        "SCHEMA_VALIDATE",
        (2, 2),
        "SCHEMA_VALIDATE(document, schema)",
        "Whether a document fits a schema.",
        misc::schema_validate,
    )
    .effect()
    .reads()
    .no_prune(),
    F::new("SHA1", (1, 1), "SHA1(text)", "SHA-1 digest in hexadecimal.", string::sha1),
    F::new("SHA256", (1, 1), "SHA256(text)", "SHA-256 digest in hexadecimal.", string::sha256),
    F::new("SHA512", (1, 1), "SHA512(text)", "SHA-512 digest in hexadecimal.", string::sha512),
    F::new(
        "SHARD_ID",
        (2, 2),
        "SHARD_ID(collection, shardKeys)",
        "Name of the shard a document belongs to.",
        misc::shard_id,
    )
    .effect()
    .reads(),
    F::new("SHIFT", (1, 1), "SHIFT(list)", "The list without its first member.", array::shift),
    F::new("SIN", (1, 1), "SIN(value)", "Sine.", numeric::sin),
    F::new("SLEEP", (1, 1), "SLEEP(seconds)", "Waits.", misc::sleep).volatile(),
    F::new("SLICE", (2, 3), "SLICE(list, start [, length])", "A part of the list.", array::slice),
    F::new("SORTED", (1, 1), "SORTED(list)", "The members in order.", array::sorted),
    F::new(
        "SORTED_UNIQUE",
        (1, 1),
        "SORTED_UNIQUE(list)",
        "The distinct members in order.",
        array::sorted_unique,
    ),
    F::new("SOUNDEX", (1, 1), "SOUNDEX(text)", "Code of what the text sounds like.", string::soundex),
    F::new(
        "SPLIT",
        (1, 3),
        "SPLIT(text [, separator [, limit]])",
        "The parts of the text between separators.",
        string::split,
    ),
    F::new("SQRT", (1, 1), "SQRT(value)", "Square root.", numeric::sqrt),
    F::new(
        "STARTS_WITH",
        (2, 3),
        "STARTS_WITH(text, prefix [, minMatchCount])",
        "Whether the text starts with a prefix, or with some of several.",
        string::starts_with,
    ),
    F::new(
        "STDDEV",
        (1, 1),
        "STDDEV(list)",
        "Standard deviation of a population.",
        numeric::stddev_population,
    ),
    F::new(
        "STDDEV_POPULATION",
        (1, 1),
        "STDDEV_POPULATION(list)",
        "Standard deviation of a population.",
        numeric::stddev_population,
    ),
    F::new(
        "STDDEV_SAMPLE",
        (1, 1),
        "STDDEV_SAMPLE(list)",
        "Standard deviation of a sample.",
        numeric::stddev_sample,
    ),
    F::new(
        "SUBSTITUTE",
        (2, 4),
        "SUBSTITUTE(text, search [, replace [, limit]])",
        "The text with other texts put in.",
        string::substitute,
    ),
    F::new(
        "SUBSTRING",
        (2, 3),
        "SUBSTRING(text, offset [, length])",
        "A part of the text.",
        string::substring,
    ),
    F::new(
        "SUBSTRING_BYTES",
        (2, 5),
        "SUBSTRING_BYTES(text, offset [, length [, left [, right]]])",
        "A part of the text by bytes, widened by characters.",
        string::substring_bytes,
    ),
    F::new("SUM", (1, 1), "SUM(list)", "Sum of the numbers in a list.", numeric::sum),
    F::new("TAN", (1, 1), "TAN(value)", "Tangent.", numeric::tan),
    F::missing(
        "TFIDF",
        (1, 2),
        "TFIDF(document [, normalize])",
        "Score of a search result.",
        "it only works inside of a SEARCH on a view",
    ),
    F::new(
        "TOKENS",
        (1, 2),
        "TOKENS(input [, analyzer])",
        "The tokens an analyzer makes of the text.",
        misc::tokens,
    ),
    F::new("TO_ARRAY", (1, 1), "TO_ARRAY(value)", "The value cast to an array.", type_cast::to_array).lazy(),
    F::new("TO_BASE64", (1, 1), "TO_BASE64(text)", "The text in Base64.", string::to_base64),
    F::new("TO_BOOL", (1, 1), "TO_BOOL(value)", "The value cast to a boolean.", type_cast::to_bool).lazy(),
    F::new("TO_CHAR", (1, 1), "TO_CHAR(codepoint)", "The character of a code point.", string::to_char),
    F::new("TO_HEX", (1, 1), "TO_HEX(text)", "The bytes of the text in hexadecimal.", string::to_hex),
    F::new("TO_LIST", (1, 1), "TO_LIST(value)", "The value cast to an array.", type_cast::to_array).lazy(),
    F::new("TO_NUMBER", (1, 1), "TO_NUMBER(value)", "The value cast to a number.", type_cast::to_number),
    F::new("TO_STRING", (1, 1), "TO_STRING(value)", "The value cast to a string.", type_cast::to_string),
    F::new(
        "TRANSLATE",
        (2, 3),
        "TRANSLATE(value, lookup [, default])",
        "What a value stands for.",
        object::translate,
    ),
    F::new(
        "TRIM",
        (1, 2),
        "TRIM(text [, typeOrChars])",
        "The text without the characters at its ends.",
        string::trim,
    ),
    F::new("TYPENAME", (1, 1), "TYPENAME(value)", "Name of the value's type.", type_check::typename).lazy(),
    F::new("UNION", (2, MANY), "UNION(list1, list2, …)", "The members of all lists.", array::union),
    F::new(
        "UNION_DISTINCT",
        (2, MANY),
        "UNION_DISTINCT(list1, list2, …)",
        "The distinct members of all lists.",
        array::union_distinct,
    ),
    F::new("UNIQUE", (1, 1), "UNIQUE(list)", "The distinct members.", array::unique),
    F::new(
        "UNSET",
        (2, MANY),
        "UNSET(object, name, …)",
        "The object without these attributes.",
        object::unset,
    ),
    F::new(
        "UNSET_RECURSIVE",
        (2, MANY),
        "UNSET_RECURSIVE(object, name, …)",
        "The object without these attributes, at all levels.",
        object::unset_recursive,
    ),
    F::new(
        "UNSHIFT",
        (2, 3),
        "UNSHIFT(list, value [, unique])",
        "The list with a member added at its start.",
        array::unshift,
    ),
    F::new("UPPER", (1, 1), "UPPER(text)", "The text in upper case.", string::upper),
    F::new("UUID", (0, 0), "UUID()", "A random identifier.", string::uuid).volatile(),
    F::new("V8", (1, 1), "V8(value)", "The value.", misc::pass_through).no_prune().lazy(),
    F::new("VALUE", (2, 2), "VALUE(object, path)", "What a path leads to.", object::value),
    F::new("VALUES", (1, 2), "VALUES(object [, removeSystem])", "Values of the attributes.", object::values),
    F::new("VARIANCE", (1, 1), "VARIANCE(list)", "Variance of a population.", numeric::variance_population),
    F::new(
        "VARIANCE_POPULATION",
        (1, 1),
        "VARIANCE_POPULATION(list)",
        "Variance of a population.",
        numeric::variance_population,
    ),
    F::new(
        "VARIANCE_SAMPLE",
        (1, 1),
        "VARIANCE_SAMPLE(list)",
        "Variance of a sample.",
        numeric::variance_sample,
    ),
    F::new("VERSION", (0, 0), "VERSION()", "Version of the server.", misc::version).uncached().no_prune(),
    F::new("WARN", (2, 2), "WARN(condition, message)", "Warns if a condition does not hold.", misc::warn)
        .effect()
        .lazy(),
    F::new(
        "WITHIN",
        (4, 5),
        "WITHIN(collection, latitude, longitude, radius [, distanceName])",
        "Documents around a place.",
        misc::near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    F::new(
        "WITHIN_RECTANGLE",
        (5, 5),
        "WITHIN_RECTANGLE(collection, latitude1, longitude1, latitude2, longitude2)",
        "Documents in a rectangle.",
        misc::near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    F::new("ZIP", (2, 2), "ZIP(keys, values)", "An object of names and values.", object::zip),
];

#[cfg(test)]
mod tests {
    use super::{all, lookup};

    #[test]
    fn names_are_sorted_and_found() {
        assert!(all().is_sorted_by(|left, right| left.name < right.name));
        assert!(all().iter().all(|function| lookup(function.name).is_some()));
        assert!(lookup("NO_SUCH_FUNCTION").is_none());
    }

    #[test]
    fn every_entry_is_documented() {
        for function in all() {
            assert!(function.signature.starts_with(function.name), "{}", function.name);
            assert!(function.summary.ends_with('.'), "{}", function.name);
            assert!(function.max_args.is_none_or(|max| max >= function.min_args), "{}", function.name);
        }
    }
}
