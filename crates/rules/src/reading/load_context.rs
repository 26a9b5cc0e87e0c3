//! What rules may refer to while they are read.

use crate::reading::{Causes, Lists};

/// What a rule may refer to while it is read.
pub(crate) struct LoadContext<'a> {
    pub causes: &'a Causes,
    pub lists: &'a Lists,
    /// Whether the rules are those inside the program, which were checked when it was tested.
    pub proven: bool,
}
