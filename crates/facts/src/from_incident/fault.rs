//! Facts of the fault site and of the suspect.

use std::sync::Arc;

use crate::FactSet;
use crate::value::{evidence, word};
use incident::{JoinedIncident, Suspect, product};

/// Sets the facts of the fault site and of the suspect, where they are known.
pub(super) fn fault(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let incident = &joined.incident;
    if let Some(site) = &incident.fault_site {
        let joined_evidence = &joined.evidence;
        let of_process = joined_evidence.dump().filter(|(_, dump)| dump.exception.is_some()).map(|(number, _)| number);
        let of_record = || Some(joined_evidence.crash_records().iter().find(|(_, record)| record.module.is_some())?.0);
        let of_dump = of_process.or_else(|| joined_evidence.kernel_dump().map(|(number, _)| number));
        let from = of_dump.or_else(of_record).and_then(evidence);
        facts.set("fault_site.module", site.module.clone(), from);
        facts.set("fault_site.carrier", site.carrier, from);
        facts.set("fault_site.unloaded", site.unloaded, from);
        facts.set_known("fault_site.version", site.version, from);
        facts.set_known("fault_site.offset", site.offset.map(|offset| offset.0), from);
        facts.set_known("fault_site.function", site.function.clone(), from);
        facts.set_known("fault_site.path", site.path.clone(), from);
    }
    if let Some(suspect) = &incident.suspect {
        let from = evidence(0);
        facts.set("suspect.module", suspect.module.clone(), from);
        facts.set("suspect.basis", word(suspect.basis.word()), from);
        facts.set_known("suspect.version", suspect.version, from);
        facts.set_known("suspect.path", suspect.path.clone(), from);
        facts.set_known("suspect.product", suspect.what.as_deref().map(product).map(Arc::<str>::from), from);
        facts.set_known("suspect.gpu_vendor", gpu_vendor(suspect).map(word), from);
    }
}

/// The list of the modules of display drivers, whose descriptions name the maker.
const DISPLAY_DRIVERS: &str = "gpu-drivers";
/// Makers of GPUs and of display drivers, as facts name them and as that list does.
const GPU_VENDORS: [(&str, &str); 4] =
    [("nvidia", "NVIDIA"), ("amd", "AMD"), ("intel", "Intel"), ("qualcomm", "Qualcomm")];

/// The maker of the display driver that the suspect is a module of.
fn gpu_vendor(suspect: &Suspect) -> Option<&'static str> {
    vendor_in(suspect.what.as_deref().filter(|_| suspect.kind.as_deref() == Some(DISPLAY_DRIVERS))?)
}

/// The maker that a description of that list names.
fn vendor_in(what: &str) -> Option<&'static str> {
    GPU_VENDORS.into_iter().find(|(_, name)| what.split([' ', ',']).any(|word| word == *name)).map(|(vendor, _)| vendor)
}

#[cfg(test)]
mod tests {
    use super::vendor_in;

    #[test]
    fn the_maker_is_a_word_of_the_description() {
        for (what, vendor) in [
            ("NVIDIA OpenGL and Vulkan", Some("nvidia")),
            ("older AMD display driver in the kernel", Some("amd")),
            ("NVIDIA, of laptops with two GPUs", Some("nvidia")),
            ("Intel Direct3D 11", Some("intel")),
            ("display driver", None),
        ] {
            assert_eq!(vendor_in(what), vendor, "{what}");
        }
    }
}
