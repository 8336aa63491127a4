//! The languages of other systems. They run before the gate: each call has its own deadline, locks
//! and audit line. A text without calls has a line too.

mod bounds;

use std::io;
use std::time::SystemTime;

use fsgate_compat::bounds::Bounds;
use fsgate_compat::{InJson, command, file_action, plugin, sham, workflow};
use fsgate_contract::front_ends_types::{
    CommandArgs, CommandOutcome, CommandQuestion, FileActionArgs, FileActionOutcome, PluginArgs,
    PluginOutcome, ShamArgs, ShamOutcome, WorkflowArgs, WorkflowOutcome,
};
use fsgate_contract::types::Error;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::bounds::OfText;
use crate::audit::AnswerFields;
use crate::call_scope::{CallAnswer, CallScope, RunningCall};
use crate::cancel::CancelToken;
use crate::gate::Gate;

impl Gate {
    /// Runs the SHAM blocks of a text in their order.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc-sham/w");
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("state");
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
        let instead = |fatal| {
            ShamOutcome {
            output: json!({
                "success": false, "totalBlocks": 0, "executedActions": 0, "results": [], "parseErrors": [], "fatalError": fatal
            })
            .to_string(),
            state: args.state.clone(),
        }
        };
        self.speak("sham", args, |tools| sham::run(tools, args), instead)
    }

    /// Runs one text command, such as `readFile a.md`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc-command/w");
    /// # let _ = std::fs::remove_dir_all(&directory);
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("state");
    /// use fsgate::{Access, Gate, CommandArgs, CommandOutcome};
    ///
    /// let gate = Gate::builder().dir_as(&directory, "/w", Access::Write).state_root(&state).build()?;
    /// let text = "writeFile a.md options: content: # A".to_owned();
    /// let outcome = gate.command(&CommandArgs { text, ..Default::default() });
    /// assert_eq!(outcome, CommandOutcome::Done("Wrote file at /w/a.md successfully.".into()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn command(&self, args: &CommandArgs) -> CommandOutcome {
        self.speak("command", args, |tools| command::run(tools, args), CommandOutcome::Failed)
    }

    /// Runs a text command. `ask` answers a question about unreadable options with `content` and
    /// `destination`; without an answer they are refused.
    pub fn command_asking(
        &self,
        text: &str,
        ask: impl FnOnce(&CommandQuestion) -> Option<[Option<String>; 2]>,
    ) -> CommandOutcome {
        let args = CommandArgs { text: text.to_owned(), ..CommandArgs::default() };
        match self.command(&args) {
            CommandOutcome::NeedsOptions(question) => {
                let [content, destination] = ask(&question).unwrap_or_default();
                self.command(&CommandArgs { content, destination, ask: Some(false), ..args })
            }
            outcome => outcome,
        }
    }

    /// Creates files and appends to them by actions in JSON.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc-file-action/w");
    /// # let _ = std::fs::remove_dir_all(&directory);
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("state");
    /// use fsgate::{Access, Gate, FileActionArgs};
    ///
    /// let gate = Gate::builder().dir_as(&directory, "/w", Access::Write).state_root(&state).build()?;
    /// let text = r##"{"action": "create", "path": "a.md", "content": "# A"}"##.to_owned();
    /// let outcome = gate.file_action(&FileActionArgs { text });
    /// assert!(outcome.output.contains(r#""success":true"#), "{}", outcome.output);
    /// assert_eq!(std::fs::read_to_string(directory.join("a.md"))?, "# A");
    /// # Ok(())
    /// # }
    /// ```
    pub fn file_action(&self, args: &FileActionArgs) -> FileActionOutcome {
        let instead = |problem| {
            let error = file_action::failure::ActionFailure::general(problem);
            FileActionOutcome { output: json!({"success": false, "results": [], "error": error}).to_string() }
        };
        self.speak("file_action", args, |tools| file_action::run(tools, args), instead)
    }

    /// Runs the `{{invoke_tool: …}}` blocks of a Markdown text. Settings in its front matter are
    /// not applied here. The builder of this gate has to apply them and set `settings_hold`, or
    /// such a text is refused.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc-workflow/w");
    /// # let _ = std::fs::remove_dir_all(&directory);
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("state");
    /// use fsgate::{Access, Gate, WorkflowArgs};
    ///
    /// let gate = Gate::builder().dir_as(&directory, "/w", Access::Write).state_root(&state).build()?;
    /// let text = "Take a note.\n\n{{invoke_tool: write_file\n  file_path: \"a.md\"\n  content: \"# A\"\n}}\n".to_owned();
    /// let outcome = gate.workflow(&WorkflowArgs { text, ..Default::default() });
    /// assert!(outcome.output.contains(r#""success":true"#), "{}", outcome.output);
    /// assert_eq!(std::fs::read_to_string(directory.join("a.md"))?, "# A");
    /// # Ok(())
    /// # }
    /// ```
    pub fn workflow(&self, args: &WorkflowArgs) -> WorkflowOutcome {
        let instead = |fatal| WorkflowOutcome {
            output: json!({"success": false, "totalBlocks": 0, "results": [], "fatalError": fatal})
                .to_string(),
            rendered: args.render.unwrap_or(false).then(|| args.text.clone()),
        };
        self.speak("workflow", args, |tools| workflow::run(tools, args), instead)
    }

    /// Runs calls of the tools `filesystem.*` in their order. `now` defaults to the time of this
    /// machine.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = std::env::temp_dir().join("fsgate-doc-plugin/w");
    /// # let _ = std::fs::remove_dir_all(&directory);
    /// # std::fs::create_dir_all(&directory)?;
    /// # let state = directory.with_file_name("state");
    /// use fsgate::{Access, Gate, PluginArgs};
    ///
    /// let gate = Gate::builder().dir_as(&directory, "/w", Access::Write).state_root(&state).build()?;
    /// let text = r#"{"tool": "filesystem.write", "input": {"path": "a.txt", "content": "x"}}"#.to_owned();
    /// let outcome = gate.plugin(&PluginArgs { text, now: None });
    /// assert_eq!(outcome.output, r#"{"output":{"path":"a.txt","size":1}}"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn plugin(&self, args: &PluginArgs) -> PluginOutcome {
        let args = PluginArgs { text: args.text.clone(), now: args.now.clone().or_else(|| Some(now())) };
        let instead = |problem| PluginOutcome {
            output: json!({"error": {"code": "other", "message": problem}}).to_string(),
            events: Vec::new(),
        };
        self.speak("plugin", &args, |tools| plugin::run(tools, &args), instead)
    }

    /// Runs a text, and audits it if it made no call. If a required audit fails, or a limit is
    /// reached, the answer is `instead` with a sentence.
    fn speak<A: Serialize, T: Serialize>(
        &self,
        front_end: &str,
        args: &A,
        run: impl FnOnce(&InJson) -> T,
        instead: impl FnOnce(String) -> T,
    ) -> T {
        let bounds = OfText::new(self.limits(), &CancelToken::new());
        let (outcome, has_called) = InJson::heard(&bounds, |tool, arguments| self.call(tool, arguments), run);
        if has_called {
            return outcome;
        }
        // Records of strings, numbers and lists always have a JSON form.
        let arguments =
            self.audit.as_ref().and_then(|_| serde_json::to_string(args).ok()).unwrap_or_default();
        let answer = serde_json::to_string(&outcome).map_err(|problem| problem.to_string());
        match self.uncalled(front_end, &arguments, &answer) {
            Ok(()) => outcome,
            Err(error) => instead(error.message),
        }
    }

    /// The limits of a text that another crate runs over this gate, from its first call on.
    #[doc(hidden)]
    pub fn bounds_of_text(&self) -> Box<dyn Bounds> {
        Box::new(OfText::new(self.limits(), &CancelToken::new()))
    }

    /// Loads the state of a session's last text, from the state directory of the first writable
    /// grant.
    #[doc(hidden)]
    pub fn load_session(&self, front_end: &str, session: &str) -> io::Result<Option<String>> {
        self.state.as_ref().map_or(Ok(None), |state| state.load_file(&self.session_file(front_end, session)))
    }

    /// Saves the state for the next text of a session. Without a state directory nothing is saved.
    #[doc(hidden)]
    pub fn save_session(&self, front_end: &str, session: &str, state: Option<&str>) -> io::Result<()> {
        self.state.as_ref().map_or(Ok(()), |own| own.save_file(&self.session_file(front_end, session), state))
    }

    /// The name of a session's file. Sessions with other grants or another policy have other files:
    /// the state names paths, and the entries that they may undo.
    fn session_file(&self, front_end: &str, session: &str) -> String {
        let mut scope = blake3::Hasher::new();
        scope.update(format!("{:?}", self.grants).as_bytes());
        scope.update(self.policies.to_json().as_bytes());
        let scope = &scope.finalize().to_hex()[..SCOPE_DIGITS];
        format!("{front_end}-{session}-{scope}.json")
    }

    /// Audits a text without calls: its arguments, and its answer in JSON or the refusal. An error
    /// forbids answering it.
    #[doc(hidden)]
    pub fn uncalled(
        &self,
        front_end: &str,
        arguments: &str,
        answer: &Result<String, String>,
    ) -> Result<(), Error> {
        let arrived = self.arrive_json(front_end, arguments);
        Uncalled::of(answer).written(arrived, &CancelToken::new())
    }
}

/// Hex digits that tell the grants and policies of one user apart.
const SCOPE_DIGITS: usize = 16;

/// A text without calls, for the audit.
pub(crate) struct Uncalled {
    code: &'static str,
    error: Option<Error>,
}

impl Uncalled {
    /// `answer` is JSON, or the refusal of the arguments.
    pub(crate) fn of(answer: &Result<String, String>) -> Self {
        let is_done = answer.as_ref().is_ok_and(|outcome| !has_failed(outcome));
        Self { code: if is_done { "ok" } else { "invalid_argument" }, error: None }
    }

    /// Audits it; an error forbids answering the text.
    pub(crate) fn written(self, arrived: CallScope, token: &CancelToken) -> Result<(), Error> {
        let written = arrived.answer(token, |_: &RunningCall| self, |answer, _, _| answer);
        written.error.map_or(Ok(()), Err)
    }
}

impl CallAnswer for Uncalled {
    fn refused(error: Error) -> Self {
        Self { code: "other", error: Some(error) }
    }

    fn audit_fields(&self, _: bool) -> AnswerFields {
        self.error.as_ref().map_or_else(|| AnswerFields::code(self.code), AnswerFields::error)
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Whether the text or a part of it failed.
fn has_failed(outcome: &str) -> bool {
    let outcome: Value = serde_json::from_str(outcome).unwrap_or_default();
    let output: Value =
        serde_json::from_str(outcome["output"].as_str().unwrap_or_default()).unwrap_or_default();
    let says_so = |answer: &Value| answer["success"] == false || answer.get("error").is_some();
    outcome.get("command_error").is_some()
        || says_so(&output)
        || output.as_array().is_some_and(|all| all.iter().any(says_so))
}

/// The time of day, in the form of the contract.
#[doc(hidden)]
pub fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_file_are_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let (directory, state) = (scratch.path().join("w"), scratch.path().join("state"));
        std::fs::create_dir(&directory).unwrap();
        let gate =
            Gate::builder().dir_as(&directory, "/", crate::Access::Write).state_root(state).build().unwrap();
        let text = r#"{"tool": "filesystem.write", "input": {"path": "a.txt", "content": "x"}}"#;
        let outcome = gate.plugin(&PluginArgs { text: text.to_owned(), now: None });
        assert_eq!(outcome.output, r#"{"output":{"path":"a.txt","size":1}}"#);
        let text = std::fs::read_to_string(directory.join("a.txt.meta.json")).unwrap();
        assert!(text.contains("createdAt") && text.contains(&now()[..10]), "{text}");
    }

    #[test]
    fn somebody_is_asked_about_options_that_cannot_be_read() {
        let scratch = tempfile::tempdir().unwrap();
        let (directory, state) = (scratch.path().join("w"), scratch.path().join("state"));
        std::fs::create_dir(&directory).unwrap();
        let gate =
            Gate::builder().dir_as(&directory, "/w", crate::Access::Write).state_root(state).build().unwrap();
        let done = |sentence: &str| CommandOutcome::Done(sentence.to_owned());
        let failed = |sentence: &str| CommandOutcome::Failed(sentence.to_owned());
        for (text, answer, expected) in [
            ("writeFile a options: content: x", None, done("Wrote file at /w/a successfully.")),
            ("writeFile a options: say x", None, failed("Invalid options: unable to parse.")),
            (
                "writeFile b options: say x",
                Some([Some("x".to_owned()), None]),
                done("Wrote file at /w/b successfully."),
            ),
            (
                "moveFile b options: to c",
                Some([None, Some("c".to_owned())]),
                done("Moved file from /w/b to /w/c successfully."),
            ),
        ] {
            let mut asked = Vec::new();
            let outcome = gate.command_asking(text, |question| {
                asked.push(question.raw.clone());
                answer.clone()
            });
            assert_eq!(outcome, expected, "{text}");
            assert_eq!(asked.len(), usize::from(!text.contains("content:")), "{text}");
        }
    }
}
