//! Refuses to run on a CPU that lacks what the binary was compiled for, before anything else needs it.
//!
//! A native build may use any instruction of its CPU anywhere, also in what the standard library does before `main`;
//! elsewhere the first one that is unknown would end the process with SIGILL and no word. So the loader is told to call
//! the check before the program begins. This module is compiled with the same features, so it leaves the compiler nothing to
//! use them for: single bits are tested by an instruction written out here, nothing is formatted, copied or allocated.
#![allow(unsafe_code)]

/// The loader calls what it finds in this section, in the order of the names; the standard library's own is 99.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array.00050")]
static BEFORE_MAIN: extern "C" fn() = refuse_unfit_cpu;

/// Ends the process with a message when the CPU, or the operating system, lacks a feature that the code relies on.
pub extern "C" fn refuse_unfit_cpu() {
    if says_what_is_missing() {
        say(
            "\nBuild it on this machine with `cargo xtask build`, or for any machine with `cargo xtask build --portable`.\n",
        );
        // SAFETY: ends the process at once; nothing has been started that would need an orderly end.
        unsafe { libc::_exit(1) }
    }
}

/// Writes to standard error. A failure leaves nothing else to do.
#[inline(never)]
fn say(text: &'static str) {
    // SAFETY: pointer and length are of a static string.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// Names one missing feature, after a sentence before the first.
#[inline(never)]
fn say_missing(first: bool, name: &'static str) {
    if first {
        say("persea: this binary is built for features that this CPU or its operating system lacks:");
    }
    say(" ");
    say(name);
}

#[cfg(target_arch = "x86_64")]
use x86_64::says_what_is_missing;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    use super::say_missing;

    /// Registers whose contents the operating system must keep for a feature to be of use.
    #[derive(Clone, Copy)]
    enum Kept {
        /// Only those that it always keeps.
        Always,
        /// The 256-bit ones too.
        Ymm,
        /// The 512-bit and mask ones too.
        Zmm,
    }
    use Kept::{Always, Ymm, Zmm};

    /// What the CPU and the operating system say.
    struct Machine {
        leaf1_ecx: u32,
        leaf7_ebx: u32,
        leaf7_ecx: u32,
        leaf7_edx: u32,
        leaf7_1_eax: u32,
        leaf7_1_edx: u32,
        leaf13_1_eax: u32,
        extended1_ecx: u32,
        ymm: bool,
        zmm: bool,
    }

    /// Tests a bit with an instruction that every CPU has; the compiler would choose a newer one.
    macro_rules! bit {
        ($register:expr, $bit:literal) => {{
            let register: u32 = $register;
            let result: u8;
            // SAFETY: reads and writes registers and the carry flag only.
            unsafe {
                asm!(
                    "bt {register:e}, {bit}",
                    "setc {result}",
                    register = in(reg) register,
                    bit = const $bit,
                    result = out(reg_byte) result,
                    options(nomem, nostack)
                );
            }
            result != 0
        }};
    }

    impl Machine {
        #[inline(never)]
        fn ask() -> Machine {
            // Asking for a leaf above the highest answers something else instead of nothing.
            let highest = __cpuid(0).eax;
            let leaf1 = __cpuid(1);
            let none = std::arch::x86_64::CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
            let leaf7 = if highest >= 7 { __cpuid_count(7, 0) } else { none };
            let leaf7_1 = if highest >= 7 && leaf7.eax >= 1 { __cpuid_count(7, 1) } else { none };
            let leaf13_1 = if highest >= 13 { __cpuid_count(13, 1) } else { none };
            let extended = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001) } else { none };
            let kept = if bit!(leaf1.ecx, 27) { kept_registers() } else { 0 };
            let ymm = bit!(kept, 1) && bit!(kept, 2);
            let zmm = ymm && bit!(kept, 5) && bit!(kept, 6) && bit!(kept, 7);
            Machine {
                leaf1_ecx: leaf1.ecx,
                leaf7_ebx: leaf7.ebx,
                leaf7_ecx: leaf7.ecx,
                leaf7_edx: leaf7.edx,
                leaf7_1_eax: leaf7_1.eax,
                leaf7_1_edx: leaf7_1.edx,
                leaf13_1_eax: leaf13_1.eax,
                extended1_ecx: extended.ecx,
                ymm,
                zmm,
            }
        }

        fn keeps(&self, kept: Kept) -> bool {
            match kept {
                Always => true,
                Ymm => self.ymm,
                Zmm => self.zmm,
            }
        }
    }

    /// The low half of the control register in which the operating system says what it keeps.
    fn kept_registers() -> u32 {
        let low: u32;
        // SAFETY: the caller has seen the bit that says that the instruction is there; it reads a register.
        unsafe { asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack)) };
        low
    }

    /// Hands each feature to a macro: name, register, bit, what the operating system must keep.
    macro_rules! each_feature {
        ($visit:ident) => {
            $visit!("sse3", leaf1_ecx, 0, Always);
            $visit!("pclmulqdq", leaf1_ecx, 1, Always);
            $visit!("ssse3", leaf1_ecx, 9, Always);
            $visit!("fma", leaf1_ecx, 12, Ymm);
            $visit!("cmpxchg16b", leaf1_ecx, 13, Always);
            $visit!("sse4.1", leaf1_ecx, 19, Always);
            $visit!("sse4.2", leaf1_ecx, 20, Always);
            $visit!("movbe", leaf1_ecx, 22, Always);
            $visit!("popcnt", leaf1_ecx, 23, Always);
            $visit!("aes", leaf1_ecx, 25, Always);
            $visit!("xsave", leaf1_ecx, 26, Always);
            $visit!("avx", leaf1_ecx, 28, Ymm);
            $visit!("f16c", leaf1_ecx, 29, Ymm);
            $visit!("rdrand", leaf1_ecx, 30, Always);
            $visit!("bmi1", leaf7_ebx, 3, Always);
            $visit!("avx2", leaf7_ebx, 5, Ymm);
            $visit!("bmi2", leaf7_ebx, 8, Always);
            $visit!("avx512f", leaf7_ebx, 16, Zmm);
            $visit!("avx512dq", leaf7_ebx, 17, Zmm);
            $visit!("rdseed", leaf7_ebx, 18, Always);
            $visit!("adx", leaf7_ebx, 19, Always);
            $visit!("avx512ifma", leaf7_ebx, 21, Zmm);
            $visit!("avx512cd", leaf7_ebx, 28, Zmm);
            $visit!("sha", leaf7_ebx, 29, Always);
            $visit!("avx512bw", leaf7_ebx, 30, Zmm);
            $visit!("avx512vl", leaf7_ebx, 31, Zmm);
            $visit!("avx512vbmi", leaf7_ecx, 1, Zmm);
            $visit!("avx512vbmi2", leaf7_ecx, 6, Zmm);
            $visit!("gfni", leaf7_ecx, 8, Always);
            $visit!("vaes", leaf7_ecx, 9, Ymm);
            $visit!("vpclmulqdq", leaf7_ecx, 10, Ymm);
            $visit!("avx512vnni", leaf7_ecx, 11, Zmm);
            $visit!("avx512bitalg", leaf7_ecx, 12, Zmm);
            $visit!("avx512vpopcntdq", leaf7_ecx, 14, Zmm);
            $visit!("avx512vp2intersect", leaf7_edx, 8, Zmm);
            $visit!("avx512fp16", leaf7_edx, 23, Zmm);
            $visit!("sha512", leaf7_1_eax, 0, Ymm);
            $visit!("avxvnni", leaf7_1_eax, 4, Ymm);
            $visit!("avx512bf16", leaf7_1_eax, 5, Zmm);
            $visit!("avxifma", leaf7_1_eax, 23, Ymm);
            $visit!("avxvnniint8", leaf7_1_edx, 4, Ymm);
            $visit!("avxneconvert", leaf7_1_edx, 5, Ymm);
            $visit!("avxvnniint16", leaf7_1_edx, 10, Ymm);
            $visit!("xsaveopt", leaf13_1_eax, 0, Always);
            $visit!("xsavec", leaf13_1_eax, 1, Always);
            $visit!("xsaves", leaf13_1_eax, 3, Always);
            $visit!("lzcnt", extended1_ecx, 5, Always);
            $visit!("sse4a", extended1_ecx, 6, Always);
            $visit!("tbm", extended1_ecx, 21, Always);
        };
    }

    /// Names each feature that is compiled in and missing here; whether there was one.
    #[inline(never)]
    pub(super) fn says_what_is_missing() -> bool {
        let machine = Machine::ask();
        let mut missing = false;
        macro_rules! check {
            ($name:literal, $register:ident, $bit:literal, $kept:ident) => {
                if cfg!(target_feature = $name) && !(bit!(machine.$register, $bit) && machine.keeps($kept)) {
                    say_missing(!missing, $name);
                    missing = true;
                }
            };
        }
        each_feature!(check);
        missing
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn finds_what_the_standard_library_finds() {
            let machine = Machine::ask();
            macro_rules! check {
                ($name:tt, $register:ident, $bit:literal, $kept:ident) => {
                    let found = bit!(machine.$register, $bit) && machine.keeps($kept);
                    assert_eq!(found, std::arch::is_x86_feature_detected!($name), $name);
                };
            }
            each_feature!(check);
        }

        #[test]
        fn the_machine_that_runs_the_tests_is_fit() {
            assert!(!says_what_is_missing());
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
use aarch64::says_what_is_missing;

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod aarch64 {
    use super::say_missing;

    /// Names each feature that is compiled in and missing here; whether there was one.
    ///
    /// The kernel tells features by bits of two words; single bits are tested without newer instructions anyway.
    #[inline(never)]
    pub(super) fn says_what_is_missing() -> bool {
        // SAFETY: reads a table that the kernel hands to every process.
        let (first, second) = unsafe { (libc::getauxval(libc::AT_HWCAP), libc::getauxval(libc::AT_HWCAP2)) };
        let mut missing = false;
        macro_rules! check {
            ($name:literal, $word:ident, $bit:literal) => {
                if cfg!(target_feature = $name) && $word & (1 << $bit) == 0 {
                    say_missing(!missing, $name);
                    missing = true;
                }
            };
        }
        check!("aes", first, 3);
        check!("sha2", first, 6);
        check!("crc", first, 7);
        check!("lse", first, 8);
        check!("fp16", first, 9);
        check!("rdm", first, 12);
        check!("jsconv", first, 13);
        check!("fcma", first, 14);
        check!("rcpc", first, 15);
        check!("dpb", first, 16);
        check!("sha3", first, 17);
        check!("dotprod", first, 20);
        check!("sve", first, 22);
        check!("fhm", first, 23);
        check!("rcpc2", first, 26);
        check!("flagm", first, 27);
        check!("dpb2", second, 0);
        check!("sve2", second, 1);
        check!("frintts", second, 8);
        check!("i8mm", second, 13);
        check!("bf16", second, 14);
        check!("rand", second, 16);
        missing
    }
}

/// Nothing is known of other machines: their native builds are for themselves only.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))))]
fn says_what_is_missing() -> bool {
    let _ = say_missing;
    false
}
