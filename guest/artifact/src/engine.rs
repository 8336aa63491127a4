//! How the component is compiled, for those who compile it and those who load it: both must agree.

use wasmtime::{Config, Result};

/// For an engine that loads what [`compiling`] has compiled, or compiles for the machine at hand.
pub fn loading() -> Config {
    let mut config = Config::new();
    // The hard end of a call that does not end by itself.
    config.epoch_interruption(true);
    config
}

/// For an engine that compiles for `target`: any machine of it that is not older than about ten years.
/// An older one finds out when it loads the code, and compiles the component itself.
pub fn compiling(target: &str) -> Result<Config> {
    let mut config = loading();
    config.target(target)?;
    if target.starts_with("x86_64-") {
        for feature in
            ["sse3", "ssse3", "sse41", "sse42", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2", "lzcnt"]
        {
            // SAFETY: these flags only say which instructions may be used, and wasmtime refuses to load
            // code whose instructions the machine does not have.
            unsafe { config.cranelift_flag_enable(&format!("has_{feature}")) };
        }
    }
    Ok(config)
}
