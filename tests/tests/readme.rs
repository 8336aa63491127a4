//! The README's table of tools is what the contract says.

use fsgate::OPERATIONS;

const README: &str = include_str!("../../README.md");
const START: &str = "<!-- tools: made from wit/, kept true by a test -->\n";
const END: &str = "<!-- end of tools -->";

#[test]
fn the_table_of_tools_says_what_the_contract_says() {
    let mut table = String::from("| tool | what it does | changes files |\n| --- | --- | --- |\n");
    for operation in OPERATIONS {
        let name = operation.name.replace('_', "-");
        let summary = operation.summary().replace('\n', " ");
        let changes = match (operation.read_only, operation.destructive) {
            (true, _) => "no",
            (false, false) => "adds",
            (false, true) => "changes",
        };
        table.push_str(&format!("| `{name}` | {summary} | {changes} |\n"));
    }
    let found = README.split_once(START).and_then(|(_, rest)| rest.split_once(END)).map(|(table, _)| table);
    assert_eq!(found, Some(table.as_str()), "put this between the marks:\n{table}");
}
