//! A bounded pool of reusable objects, made on demand.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::limits::{GaveUp, Patience};

/// The places of the pool; while all are taken, calls wait.
pub(crate) struct Pool<T> {
    size: usize,
    state: Mutex<PoolState<T>>,
    returned: Condvar,
}

struct PoolState<T> {
    idle: Vec<T>,
    taken: usize,
}

/// A taken place, returned on drop. An object in it is reused.
pub(crate) struct PoolSlot<'a, T> {
    pool: &'a Pool<T>,
    pub(crate) item: Option<T>,
}

impl<T> Pool<T> {
    /// At least one place.
    pub(crate) fn new(size: usize) -> Self {
        let state = PoolState { idle: Vec::new(), taken: 0 };
        Self { size: size.max(1), state: Mutex::new(state), returned: Condvar::new() }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn take(&self, patience: &Patience) -> Result<PoolSlot<'_, T>, GaveUp> {
        let (mut state, waited) = patience.wait(self.lock(), &self.returned, |state| state.taken < self.size);
        waited?;
        state.taken += 1;
        Ok(PoolSlot { pool: self, item: state.idle.pop() })
    }

    fn lock(&self) -> MutexGuard<'_, PoolState<T>> {
        // No code under this lock can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for PoolSlot<'_, T> {
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
    use std::time::Duration;

    use super::*;
    use crate::cancel::CancelToken;
    use crate::limits::Deadline;

    fn take<T>(pool: &Pool<T>, patience: Duration) -> Result<PoolSlot<'_, T>, GaveUp> {
        let token = CancelToken::new();
        pool.take(&Patience::new(Deadline::after(patience), &token))
    }

    fn taken<T>(pool: &Pool<T>) -> PoolSlot<'_, T> {
        take(pool, Duration::MAX).unwrap_or_else(|gave_up| panic!("{gave_up:?}"))
    }

    #[test]
    fn what_is_left_in_a_place_is_used_again() {
        let pool = Pool::new(2);
        let mut slot = taken(&pool);
        assert_eq!(slot.item, None);
        slot.item = Some(7);
        drop(slot);
        let mut slot = taken(&pool);
        assert_eq!(slot.item.take(), Some(7));
        drop(slot);
        assert_eq!(taken(&pool).item, None);
    }

    #[test]
    fn a_call_gives_up_when_its_time_is_over() {
        let pool = Pool::<()>::new(1);
        let slot = taken(&pool);
        assert_eq!(take(&pool, Duration::ZERO).err(), Some(GaveUp::Late));
        drop(slot);
        assert!(take(&pool, Duration::ZERO).is_ok());
    }

    #[test]
    fn no_more_are_out_than_there_are_places() {
        let pool = Pool::<()>::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _place = taken(&pool);
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
