//! The skill: one page that teaches a model the lean set, as the extension for skills serves it.

use rmcp::ErrorData;
use rmcp::model::{
    GetSkillResult, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
    Skill, SkillFrontmatter, SkillResource, SkillResources,
};

/// The page in Markdown, behind its name and description in YAML.
pub const SKILL: &str = include_str!("skill.md");

/// The name of the skill, which is that of its directory.
pub const SKILL_NAME: &str = "fsgate";

const URI: &str = "skill://fsgate/SKILL.md";
const MEDIA_TYPE: &str = "text/markdown";

/// A field of the lines between the first two `---`.
fn field(name: &str) -> Option<&'static str> {
    let (head, _) = SKILL.strip_prefix("---\n")?.split_once("\n---\n")?;
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn skill() -> Skill {
    let frontmatter = SkillFrontmatter::new(SKILL_NAME, field("description").unwrap_or_default());
    let files = vec![SkillResource::from_bytes(URI, SKILL.as_bytes())];
    Skill::new(URI, frontmatter, SkillResources::Files(files))
}

pub(super) fn list_skills() -> ListSkillsResult {
    ListSkillsResult::with_all_items(vec![skill()])
}

pub(super) fn get_skill(uri: &str) -> Result<GetSkillResult, ErrorData> {
    if uri == URI {
        return Ok(GetSkillResult::new(skill()));
    }
    Err(ErrorData::invalid_params(format!("there is no skill `{uri}`; the only one is `{URI}`"), None))
}

pub(super) fn list_resources() -> ListResourcesResult {
    let page = Resource::new(URI, SKILL_NAME)
        .with_description("How to use the tools")
        .with_mime_type(MEDIA_TYPE)
        .with_size(SKILL.len() as u64);
    ListResourcesResult::with_all_items(vec![page])
}

pub(super) fn read_resource(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if uri == URI {
        let contents = ResourceContents::text(SKILL, URI).with_mime_type(MEDIA_TYPE);
        return Ok(ReadResourceResult::new(vec![contents]));
    }
    Err(ErrorData::resource_not_found(format!("there is no resource `{uri}`; the only one is `{URI}`"), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_itself() {
        assert_eq!(field("name"), Some(SKILL_NAME));
        assert_eq!(skill().validate(), Ok(()));
        assert_eq!(skill().name(), SKILL_NAME);
    }
}
