//! How a bad value came about, as reports show it.

use std::sync::Arc;

use serde::Serialize;
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use evidence::{Address, Origin, OriginEnd, ProcessDump};

/// How a bad value came about.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MechanismOrigin {
    /// Where the search ended: a word of [`OriginEnd`].
    pub end: &'static str,
    /// The frame whose code made the value, or took it from where it was: 0 is the code at the fault.
    pub frame: usize,
    /// The module of that frame.
    pub module: Option<Arc<str>>,
    /// For a return value, the module of the function that returned it.
    pub callee: Option<Arc<str>>,
    /// The instructions that handed the value on, the last one first.
    pub steps: Vec<MechanismStep>,
    /// All of it in a sentence.
    pub sentence: String,
}

/// One instruction that handed a value on.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MechanismStep {
    /// The frame that it belongs to.
    pub frame: usize,
    /// Its address.
    #[serde_as(as = "DisplayFromStr")]
    pub address: Address,
    /// The instruction.
    pub instruction: Arc<str>,
    /// What memory holds where it loaded the value from, if the dump shows it.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub loaded: Option<Address>,
}

impl MechanismOrigin {
    /// The origin in a dump's detail.
    pub(super) fn new(origin: &Origin, dump: &ProcessDump) -> Self {
        let frames = dump.thread.as_ref().map_or(&[][..], |thread| thread.frames.as_slice());
        let name = |address: Address| dump.module_at(address).map(|(_, module)| Arc::clone(&module.name));
        let address = match origin.frame {
            0 => dump.exception.as_ref().map(|exception| exception.address),
            frame => frames.get(frame).map(|frame| frame.address),
        };
        let (module, callee) = (address.and_then(name), origin.callee.and_then(name));
        let sentence = sentence(origin, module.as_deref(), callee.as_deref());
        let steps = origin.steps.iter().map(|step| MechanismStep {
            frame: step.frame,
            address: step.address,
            instruction: Arc::clone(&step.text),
            loaded: step.loaded.map(Address),
        });
        Self { end: origin.end.word(), frame: origin.frame, module, callee, steps: steps.collect(), sentence }
    }
}

fn sentence(origin: &Origin, module: Option<&str>, callee: Option<&str>) -> String {
    let last = origin.steps.last().map_or_else(String::new, |step| format!(" (`{}`)", step.text));
    let by = match (origin.frame, module) {
        (0, _) => String::new(),
        (frame, Some(module)) => format!(", in the caller {module} (frame {frame})"),
        (frame, None) => format!(", in frame {frame}"),
    };
    match origin.end {
        OriginEnd::Constant => format!("The value is a constant in the code{last}{by}."),
        OriginEnd::Field => format!("The value was loaded from a field of an object{last}{by}."),
        OriginEnd::Global => format!("The value was loaded from a global variable{last}{by}."),
        OriginEnd::Local => format!("The value was loaded from a variable on the stack{last}{by}."),
        OriginEnd::ReturnValue => match callee {
            Some(callee) => format!("The value was returned by a function in {callee}{last}{by}."),
            None => format!("The value was returned by the function called just before{last}{by}."),
        },
        OriginEnd::Argument => format!("The value came in as an argument{by}."),
        OriginEnd::Computed => format!("The value was computed{last}{by}."),
        OriginEnd::Joined => "Where the value came from depends on the path that the code took.".to_owned(),
        OriginEnd::NoCode => "The code that made the value is not in the dump.".to_owned(),
        OriginEnd::Limit => "Where the value came from was not followed further.".to_owned(),
    }
}
