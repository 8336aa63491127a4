//! The failure table of Knuth, Morris and Pratt.

/// The longest border of each prefix. `same` compares two indices below `length`.
pub(crate) fn borders(length: usize, same: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut borders = vec![0; length + 1];
    let mut border = 0;
    for index in 1..length {
        while border > 0 && !same(border, index) {
            border = borders[border];
        }
        border += usize::from(same(border, index));
        borders[index + 1] = border;
    }
    borders
}
