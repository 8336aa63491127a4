//! Front ends: the languages of other systems, over the operations that are there.
//!
//! A front end is one function, from a text and what an earlier one has left (`state`) to an answer in that system's own words and
//! what the next one has to bring along. It calls operations with [`Session::run`](crate::session::Session::run), as everybody does: it opens no file
//! itself, and there is no operation that only it has. What it understands is a pure function of its own, a table of what its
//! system knows. It never fails: what is wrong stands in its answer.
//!
//! What holds for all of them: texts are matched exactly, names that begin with a dot are seen, ignore rules are not
//! asked, and a whole file is put together from several windows.

pub mod sham;
pub mod words;
