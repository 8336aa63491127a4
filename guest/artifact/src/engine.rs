//! The compiler's settings, on which compiling and loading must agree.

use wasmtime::{Config, Result};

/// Settings of an engine that loads code from [`compiling`], or compiles for this machine.
pub fn loading() -> Config {
    let mut config = Config::new();
    // The hard end of an endless call.
    config.epoch_interruption(true);
    config
}

/// Settings of an engine that compiles for `target`: machines up to about ten years old. An older
/// one notices on loading, and compiles the component itself.
pub fn compiling(target: &str) -> Result<Config> {
    let mut config = loading();
    config.target(target)?;
    if target.starts_with("x86_64-") {
        for feature in
            ["sse3", "ssse3", "sse41", "sse42", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2", "lzcnt"]
        {
            // SAFETY: these flags only allow instructions. wasmtime refuses to load code whose
            // instructions the machine lacks.
            unsafe { config.cranelift_flag_enable(&format!("has_{feature}")) };
        }
    }
    Ok(config)
}
