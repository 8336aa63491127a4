//! A bounded number of things that are made when they are needed, and used again.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Places for things; who comes when all are taken waits.
pub(crate) struct Pool<T> {
    size: usize,
    state: Mutex<State<T>>,
    returned: Condvar,
}

struct State<T> {
    idle: Vec<T>,
    taken: usize,
}

/// A place that is held until it is dropped. What is left in it then can be used again.
pub(crate) struct Place<'a, T> {
    pool: &'a Pool<T>,
    /// Something that was used before; none if there is nothing.
    pub(crate) item: Option<T>,
}

impl<T> Pool<T> {
    /// A pool with that many places, one at least.
    pub(crate) fn new(size: usize) -> Self {
        let state = State { idle: Vec::new(), taken: 0 };
        Self { size: size.max(1), state: Mutex::new(state), returned: Condvar::new() }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Takes a place, as soon as there is one.
    pub(crate) fn take(&self) -> Place<'_, T> {
        let mut state = self.lock();
        while state.taken == self.size {
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.taken += 1;
        Place { pool: self, item: state.idle.pop() }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic is done under it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for Place<'_, T> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        state.taken -= 1;
        state.idle.extend(self.item.take());
        drop(state);
        self.pool.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn what_is_left_in_a_place_is_used_again() {
        let pool = Pool::new(2);
        let mut place = pool.take();
        assert_eq!(place.item, None);
        place.item = Some(7);
        drop(place);
        let mut place = pool.take();
        assert_eq!(place.item.take(), Some(7));
        drop(place);
        assert_eq!(pool.take().item, None);
    }

    #[test]
    fn no_more_are_out_than_there_are_places() {
        let pool = Pool::<()>::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _place = pool.take();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
    }
}
