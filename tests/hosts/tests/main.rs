//! The tests of the components in hosts other than fsgate's own.

mod act;
mod command;
mod equality;
mod exports;
mod functions;
mod grants;
mod in_act {
    //! The component for ACT: its list of tools, the bounds of its grants, and its settings.

    mod escapes;
    mod listing;
    mod settings;
}
mod kinds;
mod program;
mod runners {
    //! One runner of the corpus, for another component.

    pub(crate) mod wasmtime;
}
mod wassette;
mod wave;
