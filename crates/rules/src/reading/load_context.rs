//! What rules may refer to while they are read.

use crate::reading::{Causes, Effort, Lists};

/// What a rule may refer to while it is read.
pub(crate) struct LoadContext<'a> {
    pub causes: &'a Causes,
    pub lists: &'a Lists,
    /// Whether the rules are those inside the program, which were checked when it was tested.
    pub proven: bool,
    /// What reading its rule set has cost so far.
    pub effort: &'a Effort,
}
