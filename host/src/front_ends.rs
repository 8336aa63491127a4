//! The languages of other systems. They run in front of the gate: every call that they make comes in like any other, with its own
//! deadline, lock and line in the audit.

use fsgate_core::contract::front_ends_types::{ShamArgs, ShamOutcome};
use fsgate_core::front_ends::{InJson, sham};

use crate::gate::Gate;

impl Gate {
    /// Carries out the SHAM blocks of a text, one after the other.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc/sham");
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("sham-state");
    /// use fsgate::{Gate, ShamArgs};
    ///
    /// let gate = Gate::builder().dir_as(&directory, "/w", fsgate::Access::Write).state_root(&state).build()?;
    /// let text = "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"/w/a\"\ncontent = \"new\"\n#!END_SHAM_abc\n";
    /// let outcome = gate.sham(&ShamArgs { text: text.into(), ..Default::default() });
    /// assert!(outcome.output.starts_with(r#"{"success":true"#));
    /// # Ok(())
    /// # }
    /// ```
    pub fn sham(&self, args: &ShamArgs) -> ShamOutcome {
        sham::run(&InJson(&|tool, arguments| self.call(tool, arguments)), args)
    }
}
