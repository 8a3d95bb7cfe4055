//! AQL: lexer, parser, syntax tree and printer
