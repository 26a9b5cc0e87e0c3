//! Providers that several rows of the table name.

use super::Provider::{self, Family, Named};

/// Drivers of storage adapters, which log what Storport, the port driver, reports for them.
pub(super) const STORAGE_ADAPTERS: &[Provider] =
    &[Named("storahci"), Named("stornvme"), Named("storvsc"), Family("iaStor"), Family("LSI_")];
pub(super) const DISPLAY: &[Provider] = &[Named("Display")];
pub(super) const DISPLAY_DRIVERS: &[Provider] =
    &[Named("nvlddmkm"), Named("amdkmdag"), Named("amdwddmg"), Named("igfx"), Named("igfxn"), Named("igfxnd")];
pub(super) const WHEA: &[Provider] = &[Named("Microsoft-Windows-WHEA-Logger")];
pub(super) const NTFS: &[Provider] = &[Named("Ntfs"), Named("Microsoft-Windows-Ntfs")];
pub(super) const CODE_INTEGRITY: &[Provider] = &[Named("Microsoft-Windows-CodeIntegrity")];
pub(super) const MEMORY_DIAGNOSTICS: &[Provider] = &[Named("Microsoft-Windows-MemoryDiagnostics-Results")];
pub(super) const KERNEL_POWER: &[Provider] = &[Named("Microsoft-Windows-Kernel-Power")];
pub(super) const KERNEL_PNP: &[Provider] = &[Named("Microsoft-Windows-Kernel-PnP")];
pub(super) const UPDATE_CLIENT: &[Provider] = &[Named("Microsoft-Windows-WindowsUpdateClient")];
pub(super) const SERVICING: &[Provider] = &[Named("Microsoft-Windows-Servicing")];
pub(super) const INSTALLER: &[Provider] = &[Named("MsiInstaller")];
pub(super) const SERVICES: &[Provider] = &[Named("Service Control Manager")];
pub(super) const USER_MODE_DRIVERS: &[Provider] = &[Named("Microsoft-Windows-DriverFrameworks-UserMode")];
pub(super) const DEFENDER: &[Provider] = &[Named("Microsoft-Windows-Windows Defender")];
pub(super) const MITIGATIONS: &[Provider] = &[Named("Microsoft-Windows-Security-Mitigations")];
pub(super) const EVENT_LOG: &[Provider] = &[Named("Microsoft-Windows-Eventlog")];
pub(super) const SYSTEM_ERRORS: &[Provider] = &[Named("Microsoft-Windows-WER-SystemErrorReporting"), Named("BugCheck")];
