//! What the instruction at the fault did with memory, and how the value that made it fail came about, as far as the code
//! at hand shows it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Address;
use crate::words;

/// The memory access of the instruction at the fault, by the registers there, compared with the access that the exception
/// reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultingAccess {
    /// The operand with the reported access; where none has it, the first. `None` when the instruction has no operand in
    /// memory, or registers that its address needs are not known.
    pub operand: Option<MemoryOperand>,
    /// Whether the instruction can have made the reported access; `None` when that can't be said.
    pub fit: Option<AccessFit>,
}

/// One operand in memory, or what a jump, a call or a return goes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryOperand {
    /// The register that its address counts from; `None` for an address that the instruction itself holds.
    pub base: Option<RegisterValue>,
    /// The register that is added to it, before it is multiplied.
    pub index: Option<RegisterValue>,
    /// What is added besides, bytes.
    pub displacement: i64,
    /// The address.
    pub address: Address,
    /// How many bytes are accessed; 0 when that is not known.
    pub size: u32,
    /// How.
    pub access: AccessKind,
}

/// A register with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterValue {
    /// Its name, as the processor's maker writes it, in lower case.
    pub name: Arc<str>,
    /// Its value at the fault.
    pub value: u64,
}

impl MemoryOperand {
    /// Canonical addresses of programs end here on x64.
    const USER_END: u64 = 0x0000_8000_0000_0000;

    /// The register that holds the bad pointer: of two, the one that is no address of a program where the other is a small
    /// number, else the one that addresses count from.
    #[must_use]
    pub fn pointer(&self) -> Option<&RegisterValue> {
        match (&self.base, &self.index) {
            (Some(base), Some(index)) if base.value < 0x1_0000 && index.value >= Self::USER_END => Some(index),
            (base, index) => base.as_ref().or(index.as_ref()),
        }
    }
}

words!(
    /// What an instruction does with memory.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    AccessKind {
        /// Reads it.
        Read => "read",
        /// Writes it.
        Write => "write",
        /// Reads and writes it.
        ReadWrite => "read-write",
        /// Jumps to it.
        Execute => "execute",
    }
);

words!(
    /// Whether an instruction can have made the access that an exception reports.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    AccessFit {
        /// It can.
        Fits => "fits",
        /// It touches no memory.
        NoMemory => "no-memory",
        /// It accesses other addresses.
        OtherAddress => "other-address",
        /// It accesses that address otherwise: reads where a write was reported, or the other way round.
        OtherKind => "other-kind",
        /// A pointer that is not canonical was reported, and all of its addresses are canonical.
        AllCanonical => "all-canonical",
    }
);

/// A flipped bit that would explain a wrong address: without it, the address lies in memory that allows the access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BitFlip {
    /// The number of the bit, 0 is the lowest.
    pub bit: u32,
    /// The address or register with the bit as it should have been.
    pub corrected: Address,
    /// How many other registers hold an address near to that.
    pub near_registers: u32,
}

/// How a bad value came about: followed backwards from the instruction at the fault over the code at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The instructions that handed the value on, the last one first.
    pub steps: Vec<OriginStep>,
    /// Where the search ended.
    pub end: OriginEnd,
    /// The frame whose code made the value or took it from where it was: an index into the crashing thread's frames, 0 for
    /// the code at the fault. The value came from there, as far as the code shows it.
    pub frame: usize,
    /// For a return value: the address that was called, where the code names it.
    pub callee: Option<Address>,
}

/// One instruction that handed a value on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginStep {
    /// The frame that it belongs to, as in [`Origin::frame`].
    pub frame: usize,
    /// Its address.
    pub address: Address,
    /// The instruction in its maker's notation.
    pub text: Arc<str>,
    /// What memory holds where it loaded the value from, if the dump shows it and the address is still known.
    pub loaded: Option<u64>,
}

words!(
    /// Where the search for a value's origin ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    OriginEnd {
        /// The code itself holds the value.
        Constant => "constant",
        /// It was loaded from a field of an object, or an element of an array.
        Field => "field",
        /// It was loaded from a variable at a fixed address.
        Global => "global",
        /// It was loaded from a variable on the stack, and the code at hand does not show who stored it.
        Local => "local",
        /// A function returned it.
        ReturnValue => "return-value",
        /// It is an argument of the function, and the caller's code is not at hand or does not show more.
        Argument => "argument",
        /// It was computed from other values.
        Computed => "computed",
        /// Several paths of the code join, or the code is entered by a jump.
        Joined => "joined-paths",
        /// The code before is not at hand.
        NoCode => "no-code",
        /// The limit of steps or instructions was reached.
        Limit => "limit",
    }
);

/// Who gave the code at the fault, or the code that stopped the process, the value that made it do so: followed backwards
/// over all paths of the code at hand, from frame to frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Givers {
    /// The frame that the search began in: an index into the crashing thread's frames.
    pub start: usize,
    /// Whether what was followed is not used by an instruction that failed, but compared before a stop.
    pub compared: bool,
    /// Those that gave it, the last one first.
    pub givers: Vec<Giver>,
    /// Why the search ended. [`OriginEnd::Argument`]: it is an argument, and the caller is not known or its code not at hand.
    pub end: OriginEnd,
}

/// One that gave a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Giver {
    /// The frame whose code shows it.
    pub frame: usize,
    /// The module that gave it: an index into the module list. `None` for code outside of all modules, and where the function
    /// that was called is not known.
    pub module: Option<usize>,
    /// How.
    pub how: GiverKind,
    /// Of an argument: whether the frame got the address of the function that it called as an argument itself, so that it works
    /// for its caller.
    pub on_behalf: bool,
    /// Whether it was moved since: it is an address in what was given then, not the address that was given.
    pub moved: bool,
}

words!(
    /// How a value is given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    GiverKind {
        /// The frame called with it as an argument.
        Argument => "argument",
        /// The frame computed it; what follows is about what it was computed from.
        Computed => "computed",
        /// The frame read it from an object; what follows is about that object.
        Field => "field",
        /// It, or the object that holds it, lies in the module's data.
        Global => "global",
        /// The object that holds it is a variable of the frame's function.
        Local => "local",
        /// A register still leads into the module's data, of those that a call to where no code is left as they were.
        Register => "register",
        /// The object that holds it has a table of functions in the module.
        Table => "table",
        /// The frame's code writes fields of the object that holds it.
        Fills => "fills",
        /// A function of the module returned it.
        ReturnValue => "return-value",
        /// A function of the module was given the address of the variable that holds it.
        OutParameter => "out-parameter",
    }
);
