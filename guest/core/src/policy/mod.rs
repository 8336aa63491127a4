//! Stub of the pure policy module: replaced by the one on main.
use std::rc::Rc;

use serde::{Deserialize, Serialize};

pub const CONTENT_HEAD: usize = 4096;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Document {
    pub profile: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    pub field: String,
    pub problem: String,
}

#[derive(Debug)]
pub struct Policy {
    limits: PolicyLimits,
}

#[derive(Debug, Default)]
pub struct PolicyLimits {
    pub max_file_size: Option<u64>,
    pub max_files: Option<u64>,
    pub confirm_delete: bool,
    pub linked_files_read_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleId(u32);

#[derive(Debug, Clone)]
pub struct Trail(Rc<()>);

#[derive(Debug, Clone, Copy, Default)]
pub struct Ruling {
    pub hidden: Option<RuleId>,
    pub denied: Option<RuleId>,
    pub read_only: Option<RuleId>,
    pub append_only: Option<RuleId>,
    pub no_delete: Option<RuleId>,
}

impl Policy {
    pub fn compile(_: &Document) -> Result<Self, Invalid> {
        Ok(Self::open())
    }
    pub fn open() -> Self {
        Self { limits: PolicyLimits::default() }
    }
    pub fn start(&self) -> Trail {
        Trail(Rc::new(()))
    }
    pub fn rule(&self, _: RuleId) -> &str {
        ""
    }
    pub fn content(&self, _: &[u8]) -> Option<RuleId> {
        None
    }
    pub fn judges_content(&self) -> bool {
        false
    }
    pub fn is_passage(&self, _: &Trail, _: &str) -> Option<RuleId> {
        None
    }
    pub fn may_rule_below(&self, _: &Trail, _: &str) -> bool {
        false
    }
    pub fn limits(&self) -> &PolicyLimits {
        &self.limits
    }
}

impl Trail {
    pub fn below(&self, _: &Policy, _: &str) -> Self {
        self.clone()
    }
    pub fn at_grant(&self) -> Self {
        self.clone()
    }
    pub fn ruling(&self, _: &Policy, _: &str, _: bool) -> Ruling {
        Ruling::default()
    }
    pub fn own(&self) -> Ruling {
        Ruling::default()
    }
}
