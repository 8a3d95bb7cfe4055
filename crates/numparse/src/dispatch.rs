//! The implementations in one list, and the choice of one.
//!
//! Built for a CPU that has vectors, the choice is made by the compiler and the code is inlined. Otherwise one pointer
//! to the chosen implementation is filled in at the first call, and every call goes through it.
#![allow(unsafe_code)]

use crate::{InstructionSet, ParseError, scalar, slow};

/// One implementation of the conversions, to be compared with the others. See [`implementations`].
#[derive(Debug)]
pub struct Implementation {
    instruction_set: InstructionSet,
    /// See [`scalar::trusted`]. Must only be called where the instruction set is there, as the two others.
    trusted: unsafe fn(&[u8]) -> u64,
    /// See [`scalar::checked`].
    checked: unsafe fn(&[u8]) -> Option<u64>,
    /// See [`scalar::prefix`].
    prefix: unsafe fn(&[u8]) -> (u64, usize),
}

impl Implementation {
    /// What it needs.
    pub const fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// What [`trusted::simd`](crate::trusted::simd) does when this implementation is chosen.
    #[inline]
    pub fn trusted(&self, digits: &[u8]) -> u64 {
        // SAFETY: implementations are handed out only where the CPU has their instruction set.
        unsafe { (self.trusted)(digits) }
    }

    /// What [`parse_u64`](crate::parse_u64) does when this implementation is chosen.
    ///
    /// # Errors
    /// Any [`ParseError`].
    #[inline]
    pub fn parse_u64(&self, text: &[u8]) -> Result<u64, ParseError> {
        // SAFETY: as above.
        match unsafe { (self.checked)(text) } {
            Some(number) => Ok(number),
            None => slow::whole(text, 0, u64::MAX).unpack().map(|(number, _)| number),
        }
    }

    /// What [`parse_prefix_u64`](crate::parse_prefix_u64) does when this implementation is chosen.
    ///
    /// # Errors
    /// Any [`ParseError`].
    #[inline]
    pub fn parse_prefix_u64(&self, text: &[u8]) -> Result<(u64, usize), ParseError> {
        // SAFETY: as above.
        match unsafe { (self.prefix)(text) } {
            (_, 0) => slow::prefix(text, 0, u64::MAX).unpack(),
            found => Ok(found),
        }
    }
}

/// All implementations that this CPU can run, the plainest first; the last one is what the crate's functions use unless
/// the program was built for a certain CPU.
pub fn implementations() -> impl Iterator<Item = &'static Implementation> {
    let best = InstructionSet::detect();
    LIST.iter().filter(move |implementation| implementation.instruction_set <= best)
}

macro_rules! implementation {
    ($instruction_set:ident, $folder:ident) => {
        Implementation {
            instruction_set: InstructionSet::$instruction_set,
            trusted: crate::$folder::trusted,
            checked: crate::$folder::checked,
            prefix: crate::$folder::prefix,
        }
    };
}

/// In the order of [`InstructionSet`], which is also the order of speed.
static LIST: &[Implementation] = &[
    implementation!(Scalar, scalar),
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    implementation!(Neon, neon),
    #[cfg(target_arch = "x86_64")]
    implementation!(Sse41, sse41),
    #[cfg(target_arch = "x86_64")]
    implementation!(Avx2, avx2),
    #[cfg(target_arch = "x86_64")]
    implementation!(Avx512, avx512),
];

/// Whether the text is better converted without asking which implementation is best.
#[inline(always)]
pub(crate) const fn is_short(text: &[u8]) -> bool {
    const TOO_LONG: usize = match InstructionSet::BUILT_FOR {
        // Inlined and without branches, which is quicker from three digits on and for mixed lengths.
        InstructionSet::Avx512 => 3,
        _ => scalar::SHORT + 1,
    };
    !text.is_empty() && text.len() < TOO_LONG
}

/// Calls one of the three functions of the best implementation.
macro_rules! best {
    ($function:ident, $text:expr) => {{
        match InstructionSet::BUILT_FOR {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the whole program was built for a CPU that has this, as in the three cases below.
            InstructionSet::Avx512 => unsafe { crate::avx512::$function($text) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            InstructionSet::Avx2 => unsafe { crate::avx2::$function($text) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            InstructionSet::Sse41 => unsafe { crate::sse41::$function($text) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            // SAFETY: as above.
            InstructionSet::Neon => unsafe { crate::neon::$function($text) },
            #[cfg(all(target_arch = "x86_64", not(target_env = "sgx")))]
            // SAFETY: the chosen implementation is one that the CPU can run.
            _ => unsafe { (at_run_time::chosen().$function)($text) },
            #[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"))))]
            _ => scalar::$function($text),
        }
    }};
}

/// See [`scalar::trusted`].
#[inline(always)]
pub(crate) fn trusted(digits: &[u8]) -> u64 {
    best!(trusted, digits)
}

/// See [`scalar::checked`].
#[inline(always)]
pub(crate) fn checked(text: &[u8]) -> Option<u64> {
    best!(checked, text)
}

/// See [`scalar::prefix`].
#[inline(always)]
pub(crate) fn prefix(text: &[u8]) -> (u64, usize) {
    best!(prefix, text)
}

#[cfg(all(target_arch = "x86_64", not(target_env = "sgx")))]
mod at_run_time {
    use super::{Implementation, LIST, implementations};
    use crate::InstructionSet;
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, Ordering};

    /// Points to a static that is never written.
    static CHOSEN: AtomicPtr<Implementation> = AtomicPtr::new(ptr::from_ref(&UNDECIDED).cast_mut());

    /// Chooses at the first call, whichever function that is. Two threads may do so at once: they choose the same.
    static UNDECIDED: Implementation = Implementation {
        instruction_set: InstructionSet::Scalar,
        trusted: |digits| choose().trusted(digits),
        // SAFETY: what is chosen can run here.
        checked: |text| unsafe { (choose().checked)(text) },
        // SAFETY: as above.
        prefix: |text| unsafe { (choose().prefix)(text) },
    };

    #[inline(always)]
    pub(crate) fn chosen() -> &'static Implementation {
        // SAFETY: the pointer comes from a shared reference to a static, at the start and in `choose`.
        unsafe { &*CHOSEN.load(Ordering::Relaxed) }
    }

    #[cold]
    fn choose() -> &'static Implementation {
        let best = implementations().last().unwrap_or(&LIST[0]);
        CHOSEN.store(ptr::from_ref(best).cast_mut(), Ordering::Relaxed);
        best
    }
}
