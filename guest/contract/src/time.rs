//! Moments as the contract writes them: RFC 3339 in UTC.

use std::time::{Duration, UNIX_EPOCH};

/// The end of the year 9999, the last moment of RFC 3339.
const LATEST: Duration = Duration::from_secs(253_402_300_799);

/// A moment in RFC 3339, at most the last that it can write.
pub fn rfc3339(since_1970: Duration) -> String {
    humantime::format_rfc3339(UNIX_EPOCH + since_1970.min(LATEST)).to_string()
}
