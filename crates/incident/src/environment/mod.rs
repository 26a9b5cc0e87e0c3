//! The environment of a process: what is known of its machine and of the software around it, one file for each thing.
//!
//! Presence of a module proves something even in a list with gaps; absence, order and copies only in a complete one.

pub(super) mod card;
mod compatibility;
mod copies;
mod cuda;
mod extensions;
mod found;
mod frameworks;
mod graphics;
mod installation;
mod modules;
mod python;
mod runtime;
mod stated;
pub(super) mod system;
pub(super) mod version_parts;

pub use card::is_version_unsure;
pub use compatibility::{Compatibility, CudaDriver, RuntimeFit, TensorFlowFit};
pub use copies::Copies;
pub use cuda::Cuda;
pub use found::Found;
pub use frameworks::FRAMEWORKS;
pub use graphics::Graphics;
pub use installation::{INSTALLATIONS, Installed};
pub use modules::Module;
pub use python::Python;
pub use runtime::Runtime;
pub use stated::{Product, Stated};
pub use system::build_of;

use self::modules::Modules;
use super::joined_evidence::JoinedEvidence;

/// What surrounds an incident's process.
#[derive(Debug, Clone, Default)]
pub struct Environment<'i> {
    /// Display drivers.
    pub graphics: Graphics,
    /// CUDA and cuDNN.
    pub cuda: Cuda<'i>,
    /// Frameworks that are loaded; `None` without a complete module list.
    pub frameworks: Option<Vec<Installed<'i>>>,
    /// Python.
    pub python: Option<Python>,
    /// The C and C++ runtime.
    pub runtime: Runtime<'i>,
    /// DLLs that are loaded from several folders; `None` without a complete module list that has paths.
    pub copies: Option<Vec<Copies<'i>>>,
    /// Whether it is a 32-bit process on 64-bit Windows.
    pub wow64: Option<Found<bool>>,
    /// Versions that texts state.
    pub stated: Stated,
    /// Whether these versions work together.
    pub compatibility: Compatibility,
}

/// Reads the environment from an incident's evidence.
#[must_use]
pub fn environment<'i>(evidence: &JoinedEvidence<'i>) -> Environment<'i> {
    let modules = Modules::new(evidence);
    let layout = installation::Layout::new(&modules);
    let mut environment = Environment {
        graphics: graphics::graphics(&modules),
        cuda: cuda::cuda(&modules, &layout),
        frameworks: frameworks::frameworks(&modules, &layout),
        python: python::python(&modules, &layout),
        runtime: runtime::runtime(&modules),
        copies: copies::copies(&modules),
        wow64: system::wow64(evidence, &modules),
        stated: stated::stated(evidence),
        compatibility: Compatibility::default(),
    };
    environment.compatibility = compatibility::compatibility(&environment, &modules);
    environment
}
