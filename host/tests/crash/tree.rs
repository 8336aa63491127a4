//! A directory with its content as a value.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Directory,
    File(Arc<Vec<u8>>),
}

/// Nodes by path, parents before their content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Node>);

impl Tree {
    pub(crate) fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        tree.read_below(root, "");
        tree
    }

    fn read_below(&mut self, directory: &Path, prefix: &str) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.read_below(&entry.path(), &format!("{path}/"));
                self.0.insert(path, Node::Directory);
            } else {
                self.0.insert(path, Node::File(Arc::new(fs::read(entry.path()).unwrap())));
            }
        }
    }

    pub(crate) fn write(&self, root: &Path) {
        for (path, node) in &self.0 {
            match node {
                Node::Directory => fs::create_dir(root.join(path)).unwrap(),
                Node::File(content) => fs::write(root.join(path), &content[..]).unwrap(),
            }
        }
    }

    /// A file with the directories that it needs.
    pub(crate) fn put(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.make_parents(path);
        self.0.insert(path.to_owned(), Node::File(Arc::new(content.into())));
    }

    pub(crate) fn make_parents(&mut self, path: &str) {
        for (at, _) in path.match_indices('/') {
            self.0.entry(path[..at].to_owned()).or_insert(Node::Directory);
        }
    }

    pub(crate) fn file(&self, path: &str) -> &Arc<Vec<u8>> {
        match &self.0[path] {
            Node::File(content) => content,
            Node::Directory => panic!("{path} is a directory"),
        }
    }

    /// The nodes at a path and below, by the rest of their paths.
    pub(crate) fn below(&self, path: &str) -> Vec<(String, Node)> {
        let parts = self.0.iter().filter_map(|(name, node)| {
            let rest = name.strip_prefix(path)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| (rest.to_owned(), node.clone()))
        });
        parts.collect()
    }

    pub(crate) fn remove(&mut self, path: &str) {
        for (rest, _) in self.below(path) {
            self.0.remove(&format!("{path}{rest}"));
        }
    }

    /// The difference of two trees in few words.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let paths: std::collections::BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let reported = |node: Option<&Node>| match node {
            None => "nothing".to_owned(),
            Some(Node::Directory) => "directory".to_owned(),
            Some(Node::File(content)) => {
                format!(
                    "{} bytes {:?}",
                    content.len(),
                    String::from_utf8_lossy(&content[..content.len().min(24)])
                )
            }
        };
        let differing = paths.into_iter().filter_map(|path| {
            let (one, two) = (self.0.get(path), other.0.get(path));
            (one != two).then(|| format!("{path}: {} and {}", reported(one), reported(two)))
        });
        differing.collect::<Vec<_>>().join("; ")
    }
}
