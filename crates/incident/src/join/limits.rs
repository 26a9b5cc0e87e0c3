//! How far apart evidence of one incident can be, and how much of it is compared.

use jiff::SignedDuration;

/// How far the starts of one process can differ, seconds: dumps hold the start to the second and events to 100 ns, and
/// rounding may differ by one second.
pub(super) const START_TOLERANCE_SECONDS: i64 = 1;
/// How far apart the records of one restart can be: all are written while the system starts.
pub(crate) const RESTART_WINDOW: SignedDuration = SignedDuration::from_mins(5);
/// How many records before and after a moment are compared with it. No machine crashes this often within the windows
/// here; a forged log may contain that many.
pub(super) const MOST_CANDIDATES: usize = 256;
/// How much later than the dump a record of it can be logged: a machine that stopped on Friday is switched on again on
/// Monday, and reports wait in a queue for a connection.
pub(super) const LOGGED_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How much earlier than the dump a record of it can be logged: the dump's time is in whole seconds.
pub(super) const DUMP_CLOCK: SignedDuration = SignedDuration::from_secs(2);
