use std::cell::RefCell;
use std::rc::Rc;

use crate::error::{Operation, Reason};
use crate::gpu::Failure;

/// Objects by the numbers JavaScript holds; numbers only grow, so new ones go to the end.
pub struct Table<T>(RefCell<Vec<(u32, Rc<T>)>>);

impl<T> Table<T> {
    /// An empty table.
    pub const fn new() -> Table<T> {
        Table(RefCell::new(Vec::new()))
    }

    /// Adds an entry under a number higher than all before.
    pub fn add(&self, id: u32, value: Rc<T>) -> u32 {
        self.0.borrow_mut().push((id, value));
        id
    }

    /// The entry of a number. JavaScript refuses destroyed handles itself, so a number that is not there is an argument that never was one.
    pub fn get(&self, id: u32, what: &str) -> Result<Rc<T>, Failure> {
        let entries = self.0.borrow();
        let found = entries.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|index| entries.get(index));
        found
            .map(|(_, value)| value.clone())
            .ok_or_else(|| Reason::Destroyed.at(Operation::Dispatch).with("label", what).into())
    }

    /// Lets every entry go, once nothing is borrowed.
    pub fn clear(&self) {
        let removed = self.0.take();
        drop(removed);
    }

    /// Lets those entries go that are not wanted.
    pub fn keep(&self, is_wanted: impl Fn(&T) -> bool) {
        self.0.borrow_mut().retain(|(_, value)| is_wanted(value));
    }

    /// Lets an entry go, once nothing is borrowed.
    pub fn remove(&self, id: u32) {
        let mut entries = self.0.borrow_mut();
        let found = entries.binary_search_by_key(&id, |(id, _)| *id).ok();
        let removed = found.map(|index| entries.remove(index));
        drop(entries);
        drop(removed);
    }
}
