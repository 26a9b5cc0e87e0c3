//! What is known of the machine and of the program's surroundings: one file for each thing that is looked at.
//!
//! Presence of a module proves something even in a list with gaps; absence, order and copies only in a whole one.

mod card;
mod compatibility;
mod copies;
mod cuda;
mod extensions;
mod frameworks;
mod graphics;
mod installation;
mod python;
mod runtime;
mod seen;
mod stated;
mod system;

pub use card::as_stated;
pub use card::{card, is_stated, tells_no_version};
pub use compatibility::{Compatibility, CudaDriver, Fit, RuntimeFit, TensorFlowFit};
pub use copies::Copies;
pub use cuda::{Cuda, CudaLibrary};
pub use extensions::Extensions;
pub use frameworks::{FRAMEWORKS, Framework};
pub use graphics::Graphics;
pub use installation::INSTALLATIONS;
pub use python::Python;
pub use runtime::{Runtime, RuntimeFile};
pub use stated::Stated;
pub use system::build_of;
pub(super) use system::of_kernel;

use super::gathered::Gathered;
use windows_codes::Knowledge;

/// A value with the number of the evidence that it is from, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// The number of the evidence.
    pub from: usize,
}

impl<T> Found<T> {
    /// Another value from the same evidence.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: change(self.value), from: self.from }
    }
}

/// What surrounds an incident's process.
#[derive(Debug, Clone, Default)]
pub struct Environment<'i> {
    /// Display drivers.
    pub graphics: Graphics,
    /// CUDA and cuDNN.
    pub cuda: Cuda<'i>,
    /// Frameworks that are loaded; `None` without a whole module list.
    pub frameworks: Option<Vec<Framework<'i>>>,
    /// Python.
    pub python: Option<Python>,
    /// The C and C++ runtime.
    pub runtime: Runtime<'i>,
    /// DLLs that are loaded from several folders; `None` without a whole module list that has paths.
    pub copies: Option<Vec<Copies<'i>>>,
    /// Whether it is a 32-bit process on 64-bit Windows.
    pub wow64: Option<Found<bool>>,
    /// What a text says.
    pub stated: Stated,
    /// What goes with what, and what does not.
    pub compatibility: Compatibility,
}

/// Reads the surroundings out of an incident's evidence.
#[must_use]
pub fn environment<'i>(gathered: &Gathered<'i>, knowledge: &Knowledge) -> Environment<'i> {
    let seen = seen::Seen::of(gathered);
    let layout = installation::Layout::of(&seen);
    let mut environment = Environment {
        graphics: graphics::graphics(&seen),
        cuda: cuda::cuda(&seen, &layout, knowledge),
        frameworks: frameworks::frameworks(&seen, &layout),
        python: python::python(&seen, &layout),
        runtime: runtime::runtime(&seen),
        copies: copies::copies(&seen),
        wow64: system::wow64(gathered, &seen),
        stated: stated::stated(gathered),
        compatibility: Compatibility::default(),
    };
    environment.compatibility = compatibility::compatibility(&environment, &seen, knowledge);
    environment
}
