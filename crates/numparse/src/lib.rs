//! Decimal text to and from integers: checked and trusted forms, no_std
