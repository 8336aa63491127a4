//! Custom sections of a component, which engines ignore.

/// Adds a section at the end.
pub fn append(component: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut section = string(name);
    section.extend(data);
    component.push(0);
    component.extend(length(section.len()));
    component.extend(section);
}

/// Data of the section `component-name`.
pub fn component_name(name: &str) -> Vec<u8> {
    let name = string(name);
    // The component's own name.
    let mut data = vec![0];
    data.extend(length(name.len()));
    data.extend(name);
    data
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = length(text.len());
    bytes.extend(text.as_bytes());
    bytes
}

/// A number in LEB128.
fn length(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7F) as u8;
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return bytes;
        }
    }
}
