//! Which instruction set the parsers use: known when built for a CPU, else found out once at run time.

/// An instruction set for which there is an implementation, from the plainest to the widest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum InstructionSet {
    /// Ordinary 64-bit registers, eight digits at a time; on every CPU.
    Scalar,
    /// 64-bit ARM's vectors of 128 bits.
    Neon,
    /// SSE4.1 and what came before it.
    Sse41,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 F, BW and VL, on vectors of 128 and 256 bits only, so that no CPU lowers its clock for it.
    Avx512,
}

impl InstructionSet {
    /// What the compiler was allowed to use, for instance by `-C target-cpu=native`.
    pub const BUILT_FOR: InstructionSet = if cfg!(all(
        target_arch = "x86_64",
        target_feature = "avx512f",
        target_feature = "avx512bw",
        target_feature = "avx512vl",
        target_feature = "avx2",
        target_feature = "bmi2"
    )) {
        InstructionSet::Avx512
    } else if cfg!(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")) {
        InstructionSet::Avx2
    } else if cfg!(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "ssse3")) {
        InstructionSet::Sse41
    } else if cfg!(all(target_arch = "aarch64", target_feature = "neon")) {
        InstructionSet::Neon
    } else {
        InstructionSet::Scalar
    };

    /// The widest that this CPU and its operating system offer. Not cached: it asks the CPU each time.
    pub fn detect() -> InstructionSet {
        #[cfg(all(target_arch = "x86_64", not(target_env = "sgx")))]
        return x86_64::detect().max(InstructionSet::BUILT_FOR);
        #[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"))))]
        return InstructionSet::BUILT_FOR;
    }

    /// The name that people know it by.
    pub const fn name(self) -> &'static str {
        match self {
            InstructionSet::Scalar => "scalar",
            InstructionSet::Neon => "NEON",
            InstructionSet::Sse41 => "SSE4.1",
            InstructionSet::Avx2 => "AVX2",
            InstructionSet::Avx512 => "AVX-512",
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(target_env = "sgx")))]
mod x86_64 {
    #![allow(unsafe_code)]

    use super::InstructionSet;
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    const fn has(register: u32, bits: &[u32]) -> bool {
        let mut rest = bits;
        while let [bit, tail @ ..] = rest {
            if register >> *bit & 1 == 0 {
                return false;
            }
            rest = tail;
        }
        true
    }

    // Bits of leaf 1, register ECX.
    const SSSE3: u32 = 9;
    const SSE41: u32 = 19;
    const OSXSAVE: u32 = 27;
    const AVX: u32 = 28;
    // Bits of leaf 7, register EBX.
    const AVX2: u32 = 5;
    const BMI2: u32 = 8;
    const AVX512F: u32 = 16;
    const AVX512BW: u32 = 30;
    const AVX512VL: u32 = 31;
    // Bits of extended control register 0: what the operating system saves when it switches threads.
    const XMM_AND_YMM: u64 = 0b110;
    const MASKS_AND_ZMM: u64 = 0b1110_0000;

    pub(super) fn detect() -> InstructionSet {
        let last_leaf = __cpuid(0).eax;
        let basic = __cpuid(1).ecx;
        if !has(basic, &[SSSE3, SSE41]) {
            return InstructionSet::Scalar;
        }
        if last_leaf < 7 || !has(basic, &[OSXSAVE, AVX]) {
            return InstructionSet::Sse41;
        }
        // SAFETY: OSXSAVE says that the operating system has enabled this instruction.
        let saved = unsafe { saved_registers() };
        let extended = __cpuid_count(7, 0).ebx;
        if saved & XMM_AND_YMM != XMM_AND_YMM || !has(extended, &[AVX2, BMI2]) {
            return InstructionSet::Sse41;
        }
        if saved & MASKS_AND_ZMM != MASKS_AND_ZMM || !has(extended, &[AVX512F, AVX512BW, AVX512VL]) {
            return InstructionSet::Avx2;
        }
        InstructionSet::Avx512
    }

    #[target_feature(enable = "xsave")]
    fn saved_registers() -> u64 {
        // SAFETY: register 0 always exists where the instruction does, which the caller has made sure of.
        unsafe { _xgetbv(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn detection_agrees_with_the_standard_library() {
        use std::is_x86_feature_detected as has;
        let detected = InstructionSet::detect();
        let sse41 = has!("ssse3") && has!("sse4.1");
        let avx2 = sse41 && has!("avx2") && has!("bmi2");
        let avx512 = avx2 && has!("avx512f") && has!("avx512bw") && has!("avx512vl");
        assert_eq!(detected >= InstructionSet::Sse41, sse41);
        assert_eq!(detected >= InstructionSet::Avx2, avx2);
        assert_eq!(detected >= InstructionSet::Avx512, avx512);
    }
}
