//! What a stack shows of how the kernel came to stop the system: the functions between the stop and the code
//! that ran before.
//!
//! Source: the kernel's public symbols, and "Bug Check Code Reference" of the Windows driver documentation, whose
//! analyses show such stacks.

use super::{Ticket, TicketFrame};

/// What a frame of the kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelRole {
    /// Stops the system.
    Stop,
    /// The processor enters it by an exception that the code before raised.
    Trap,
    /// Passes an exception on to its handlers.
    Dispatch,
    /// The processor enters it by an interrupt: the code before only happened to run.
    Interrupt,
    /// A program calls the kernel by it: the frames further out are the program's.
    SystemCall,
    /// Any other function of the kernel.
    Other,
}

/// Beginnings of the names of the kernel's functions, the longest first where one begins another.
const ROLES: &[(&str, KernelRole)] = &[
    ("KeBugCheck", KernelRole::Stop),
    ("KiBugCheck", KernelRole::Stop),
    ("KiPageFault", KernelRole::Trap),
    ("KiGeneralProtectionFault", KernelRole::Trap),
    ("KiInvalidOpcodeFault", KernelRole::Trap),
    ("KiDivideErrorFault", KernelRole::Trap),
    ("KiSegmentNotPresentFault", KernelRole::Trap),
    ("KiStackFault", KernelRole::Trap),
    ("KiAlignmentFault", KernelRole::Trap),
    ("KiFloatingErrorFault", KernelRole::Trap),
    ("KiXmmException", KernelRole::Trap),
    ("KiOverflowTrap", KernelRole::Trap),
    ("KiBoundFault", KernelRole::Trap),
    ("KiBreakpointTrap", KernelRole::Trap),
    ("KiRaiseSecurityCheckFailure", KernelRole::Trap),
    ("KiRaiseAssertion", KernelRole::Trap),
    ("KiDoubleFaultAbort", KernelRole::Trap),
    ("KiTrap", KernelRole::Trap),
    ("KiSystemServiceHandler", KernelRole::Dispatch),
    ("KiExceptionDispatch", KernelRole::Dispatch),
    ("KiDispatchException", KernelRole::Dispatch),
    ("KiPreprocessFault", KernelRole::Dispatch),
    ("KiFastFailDispatch", KernelRole::Dispatch),
    ("KiPreprocessKernelAccessFault", KernelRole::Dispatch),
    ("KxExceptionDispatchOnExceptionStack", KernelRole::Dispatch),
    ("RtlDispatchException", KernelRole::Dispatch),
    ("RtlpExecuteHandler", KernelRole::Dispatch),
    ("KiSystemService", KernelRole::SystemCall),
    ("KiSystemCall", KernelRole::SystemCall),
    ("KiFastCallEntry", KernelRole::SystemCall),
    ("KiFastSystemCall", KernelRole::SystemCall),
    ("KiInterrupt", KernelRole::Interrupt),
    ("KiIpiInterrupt", KernelRole::Interrupt),
    ("KiDpcInterrupt", KernelRole::Interrupt),
    ("KiApcInterrupt", KernelRole::Interrupt),
    ("KiNmiInterrupt", KernelRole::Interrupt),
    ("KxNmiInterrupt", KernelRole::Interrupt),
    ("KiMcheckAbort", KernelRole::Interrupt),
    ("KxMcheckAbort", KernelRole::Interrupt),
    ("KiCallInterruptServiceRoutine", KernelRole::Interrupt),
];

/// What a frame does in the kernel; `None` for frames of others.
#[must_use]
pub fn kernel_role(frame: &TicketFrame) -> Option<KernelRole> {
    const KERNEL: [&str; 5] = ["nt", "ntoskrnl.exe", "ntkrnlmp.exe", "ntkrnlmp", "ntkrpamp"];
    KERNEL.iter().any(|name| frame.module.eq_ignore_ascii_case(name)).then(|| {
        let called = frame.symbol.as_deref().unwrap_or_default();
        ROLES.iter().find(|(beginning, _)| called.starts_with(beginning)).map_or(KernelRole::Other, |(_, role)| *role)
    })
}

/// Whether a frame is the function that stops the system.
#[must_use]
pub fn is_stop(frame: &TicketFrame) -> bool {
    kernel_role(frame) == Some(KernelRole::Stop)
}

impl Ticket {
    /// Whether the stack in the text is that of a stop.
    #[must_use]
    pub fn shows_a_stop(&self) -> bool {
        self.frames.iter().any(is_stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_kernel_have_roles_and_those_of_others_none() {
        let role = |module: &str, symbol: &str| {
            kernel_role(&TicketFrame { module: module.into(), symbol: Some(symbol.into()), offset: None })
        };
        assert_eq!(role("nt", "KeBugCheckEx"), Some(KernelRole::Stop));
        assert_eq!(role("ntoskrnl.exe", "KiBugCheckDispatch"), Some(KernelRole::Stop));
        assert_eq!(role("nt", "KiPageFault"), Some(KernelRole::Trap));
        assert_eq!(role("nt", "KiSystemServiceHandler"), Some(KernelRole::Dispatch));
        assert_eq!(role("nt", "KiSystemServiceCopyEnd"), Some(KernelRole::SystemCall));
        assert_eq!(role("nt", "KiInterruptDispatchNoLockNoEtw"), Some(KernelRole::Interrupt));
        assert_eq!(role("nt", "ExFreePoolWithTag"), Some(KernelRole::Other));
        assert_eq!(role("filter", "KeBugCheckEx"), None);
    }
}
