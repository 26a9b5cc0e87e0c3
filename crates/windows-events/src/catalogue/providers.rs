//! Providers that several rows of the table name.

use evtx_scan::Provider::{self, Family, Named};

/// Drivers of storage adapters, which log what Storport, the port driver, reports for them.
pub(super) const STORAGE_ADAPTERS: &[Provider<'static>] =
    &[Named("storahci"), Named("stornvme"), Named("storvsc"), Family("iaStor"), Family("LSI_")];
pub(super) const DISPLAY: &[Provider<'static>] = &[Named("Display")];
pub(super) const DISPLAY_DRIVERS: &[Provider<'static>] =
    &[Named("nvlddmkm"), Named("amdkmdag"), Named("amdwddmg"), Named("igfx"), Named("igfxn"), Named("igfxnd")];
pub(super) const WHEA: &[Provider<'static>] = &[Named("Microsoft-Windows-WHEA-Logger")];
pub(super) const NTFS: &[Provider<'static>] = &[Named("Ntfs"), Named("Microsoft-Windows-Ntfs")];
pub(super) const CODE_INTEGRITY: &[Provider<'static>] = &[Named("Microsoft-Windows-CodeIntegrity")];
pub(super) const MEMORY_DIAGNOSTICS: &[Provider<'static>] = &[Named("Microsoft-Windows-MemoryDiagnostics-Results")];
pub(super) const KERNEL_POWER: &[Provider<'static>] = &[Named("Microsoft-Windows-Kernel-Power")];
pub(super) const KERNEL_PNP: &[Provider<'static>] = &[Named("Microsoft-Windows-Kernel-PnP")];
pub(super) const UPDATE_CLIENT: &[Provider<'static>] = &[Named("Microsoft-Windows-WindowsUpdateClient")];
pub(super) const SERVICING: &[Provider<'static>] = &[Named("Microsoft-Windows-Servicing")];
pub(super) const INSTALLER: &[Provider<'static>] = &[Named("MsiInstaller")];
pub(super) const SERVICES: &[Provider<'static>] = &[Named("Service Control Manager")];
pub(super) const USER_MODE_DRIVERS: &[Provider<'static>] = &[Named("Microsoft-Windows-DriverFrameworks-UserMode")];
pub(super) const DEFENDER: &[Provider<'static>] = &[Named("Microsoft-Windows-Windows Defender")];
pub(super) const MITIGATIONS: &[Provider<'static>] = &[Named("Microsoft-Windows-Security-Mitigations")];
pub(super) const EVENT_LOG: &[Provider<'static>] = &[Named("Microsoft-Windows-Eventlog")];
pub(super) const SYSTEM_ERRORS: &[Provider<'static>] =
    &[Named("Microsoft-Windows-WER-SystemErrorReporting"), Named("BugCheck")];
