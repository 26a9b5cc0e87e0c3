//! Versions that a pasted text states. They are what somebody wrote and not what was loaded, so they are kept apart.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use expressions::Pattern;
use strum::{EnumString, IntoStaticStr};

use super::found::Found;
use super::version_parts::release;
use crate::joined_evidence::JoinedEvidence;
use evidence::{Inventory, Version};
use windows_codes::Knowledge;

/// Versions that a text states.
#[derive(Debug, Clone, Default)]
pub struct Stated {
    /// Versions of products that all lines about the product agree on.
    pub versions: BTreeMap<Product, Found<Version>>,
    /// The processor's name.
    pub processor: Option<Found<Arc<str>>>,
    /// Products with several versions in the texts that cannot be the same, and those versions.
    pub contradictions: Vec<(Product, Vec<Version>)>,
}

impl Stated {
    /// The version of a product on which all texts agree.
    #[must_use]
    pub fn version(&self, product: Product) -> Option<Found<Version>> {
        self.versions.get(&product).copied()
    }
}

/// A product whose version texts state, by its name in the table of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Product {
    /// TensorFlow.
    TensorFlow,
    /// PyTorch.
    PyTorch,
    /// ONNX Runtime.
    OnnxRuntime,
    /// The CUDA toolkit, not what `nvidia-smi` calls CUDA Version: that is the newest toolkit for the driver.
    Cuda,
    /// cuDNN.
    Cudnn,
    /// NVIDIA's driver.
    #[strum(serialize = "nvidia-driver")]
    NvidiaDriver,
}

/// Lines with more bytes state no version.
const LONGEST_LINE: usize = 200;

pub(super) fn stated(evidence: &JoinedEvidence<'_>) -> Stated {
    let mut statements = Statements::default();
    for (from, ticket) in evidence.all_tickets() {
        statements.add_lines(ticket.lines.iter().map(|line| &*line.text), from);
        statements.add_inventory(&ticket.inventory, from);
    }
    statements.agreed()
}

/// All that texts state, agreeing or not.
#[derive(Default)]
struct Statements {
    versions: BTreeMap<Product, Vec<Found<Version>>>,
    processors: Vec<Found<Arc<str>>>,
}

impl Statements {
    fn add_lines<'t>(&mut self, lines: impl Iterator<Item = &'t str>, from: usize) {
        static PATTERNS: LazyLock<Vec<(&str, Pattern)>> =
            LazyLock::new(|| Knowledge.stated_versions().map(|(of, pattern)| (of, Pattern::new(pattern))).collect());
        for line in lines.filter(|line| line.len() <= LONGEST_LINE) {
            let small = line.to_lowercase();
            for (of, pattern) in PATTERNS.iter().filter(|(_, pattern)| pattern.is_match(&small)) {
                let Some(text) = pattern.captures(line).and_then(|groups| groups.get(1)) else { continue };
                if *of == PROCESSOR {
                    self.processors.push(Found { value: Arc::from(text.as_str()), from });
                } else {
                    self.add(read(of, text.as_str()), from);
                }
            }
        }
    }

    /// Adds what was recognised in the output of tools.
    fn add_inventory(&mut self, inventory: &Inventory, from: usize) {
        self.add(inventory.nvidia_driver.map(|version| (Product::NvidiaDriver, version)), from);
        for (name, version) in &inventory.packages {
            let product = match name.to_ascii_lowercase().as_str() {
                "tensorflow" | "tensorflow-gpu" | "tensorflow-intel" | "tensorflow-cpu" => Product::TensorFlow,
                "torch" | "pytorch" => Product::PyTorch,
                "onnxruntime" | "onnxruntime-gpu" | "onnxruntime-directml" => Product::OnnxRuntime,
                _ => continue,
            };
            // Behind the numbers is a build's tag, or the mark of a release that is not final.
            let end = version.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(version.len());
            let numbers = version.get(..end).unwrap_or_default().trim_end_matches('.');
            self.add(numbers.parse().ok().map(|version| (product, version)), from);
        }
    }

    fn add(&mut self, stated: Option<(Product, Version)>, from: usize) {
        if let Some((product, value)) = stated {
            self.versions.entry(product).or_default().push(Found { value, from });
        }
    }

    /// The versions on which all texts agree, and those that contradict each other.
    fn agreed(self) -> Stated {
        let is_alike = |first: &&Found<Arc<str>>| self.processors.iter().all(|other| other.value == first.value);
        let processor = self.processors.first().filter(is_alike).cloned();
        let mut stated = Stated { processor, ..Stated::default() };
        for (product, all) in self.versions {
            let mut different: Vec<Found<Version>> = Vec::new();
            for found in all {
                if !different.iter().any(|known| alike(known.value, found.value)) {
                    different.push(found);
                }
            }
            match different.as_slice() {
                [only] => drop(stated.versions.insert(product, *only)),
                several => stated.contradictions.push((product, several.iter().map(|found| found.value).collect())),
            }
        }
        stated
    }
}

#[cfg(test)]
fn of_lines<'t>(lines: impl Iterator<Item = &'t str>, from: usize) -> Stated {
    let mut statements = Statements::default();
    statements.add_lines(lines, from);
    statements.agreed()
}

/// What a pattern is of that finds no version, but the processor's name.
const PROCESSOR: &str = "processor";

/// The version in the text that a pattern found, and its product. `of` is what the pattern is of, in the table.
fn read(of: &str, text: &str) -> Option<(Product, Version)> {
    match of {
        // The digits of a PyTorch build's tag: `cu118` is 11.8.
        "cuda-tag" => {
            let number: u16 = text.parse().ok()?;
            Some((Product::Cuda, Version([number / 10, number % 10, 0, 0])))
        }
        // cuDNN's number for itself: 8401 is 8.4.1, 90100 is 9.1.0.
        "cudnn-number" => {
            let number: u32 = text.parse().ok()?;
            // Two digits for the minor number from 9 on.
            let (major, rest) =
                if number < 90_000 { (number / 1000, number % 1000) } else { (number / 10_000, number % 10_000) };
            Some((Product::Cudnn, Version([u16::try_from(major).ok()?, u16::try_from(rest / 100).ok()?, 0, 0])))
        }
        _ => Some((of.parse().ok()?, text.parse().ok()?)),
    }
}

/// Whether both may be the same: `2.4` and `2.4.1`.
fn alike(a: Version, b: Version) -> bool {
    let (Version([.., a_patch, _]), Version([.., b_patch, _])) = (a, b);
    release(a) == release(b) && (a_patch == b_patch || a_patch == 0 || b_patch == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(found: Option<Found<Version>>) -> Option<(u16, u16)> {
        found.map(|found| (found.value.0[0], found.value.0[1]))
    }

    #[test]
    fn all_patterns_of_the_table_can_be_used() {
        for (name, pattern) in Knowledge.stated_versions() {
            let text = if name == "cudnn-number" { "8401" } else { "118" };
            assert!(name == PROCESSOR || read(name, text).is_some(), "{name}");
            let groups = regex::Regex::new(pattern).map(|regex| regex.captures_len());
            assert!(groups.is_ok_and(|groups| groups == 2), "{pattern}");
        }
    }

    #[test]
    fn labels_and_lists_of_packages_state_versions() {
        let stated = of_lines(
            [
                "TensorFlow: 2.4.0",
                "  - CUDA: 11.0",
                "cuDNN version: 8.0.1",
                "tensorflow-gpu            2.4.0",
                "| NVIDIA-SMI 461.40       Driver Version: 461.40       CUDA Version: 11.2     |",
                "onnxruntime-gpu==1.19.2",
            ]
            .into_iter(),
            0,
        );
        assert_eq!(two(stated.version(Product::TensorFlow)), Some((2, 4)));
        assert_eq!(two(stated.version(Product::Cuda)), Some((11, 0)), "nvidia-smi tells what the driver can do");
        assert_eq!(two(stated.version(Product::Cudnn)), Some((8, 0)));
        assert_eq!(two(stated.version(Product::NvidiaDriver)), Some((461, 40)));
        assert_eq!(two(stated.version(Product::OnnxRuntime)), Some((1, 19)));
    }

    #[test]
    fn programs_state_versions_in_their_own_words() {
        let stated = of_lines(
            [
                "I tensorflow/stream_executor/cuda/cuda_dnn.cc:368] Loaded cuDNN version 8401",
                "Package: torch 2.4.1+cu118",
                "Cuda compilation tools, release 11.8, V11.8.89",
            ]
            .into_iter(),
            0,
        );
        assert_eq!(two(stated.version(Product::Cudnn)), Some((8, 4)));
        assert_eq!(two(stated.version(Product::PyTorch)), Some((2, 4)));
        assert_eq!(two(stated.version(Product::Cuda)), Some((11, 8)));
        assert_eq!(two(of_lines(["Loaded cuDNN version 90100"].into_iter(), 0).version(Product::Cudnn)), Some((9, 1)));
    }

    #[test]
    fn a_processor_is_stated_by_its_name() {
        let of = |lines: &[&str]| of_lines(lines.iter().copied(), 0).processor.map(|found| found.value.to_string());
        let name = "13th Gen Intel(R) Core(TM) i9-13900K (32 CPUs), ~3.0GHz";
        assert_eq!(of(&[&format!("       Processor: {name}")]).as_deref(), Some(name));
        assert_eq!(of(&["CPU: AMD Ryzen 7 5800X"]).as_deref(), Some("AMD Ryzen 7 5800X"));
        assert_eq!(of(&["CPU: AMD Ryzen 7 5800X", "CPU: AMD Ryzen 9 5950X"]), None);
        assert_eq!(of(&["CPU: 4 %", "The CPU: is AMD Ryzen 7 5800X"]), None);
    }

    #[test]
    fn what_texts_contradict_is_kept_and_not_decided() {
        let mut statements = Statements::default();
        statements.add_lines(["Display driver: 461.40", "PyTorch: 2.1.0"].into_iter(), 0);
        let packages = vec![("torch".into(), "2.4.1+cu118".into()), ("tensorflow".into(), "2.10.0rc1".into())];
        statements.add_inventory(
            &Inventory { nvidia_driver: Some(Version([536, 23, 0, 0])), packages, ..Inventory::default() },
            1,
        );
        let stated = statements.agreed();
        assert!(stated.version(Product::NvidiaDriver).is_none() && stated.version(Product::PyTorch).is_none());
        assert_eq!(two(stated.version(Product::TensorFlow)), Some((2, 10)));
        let [(pytorch, _), (driver, releases)] = stated.contradictions.as_slice() else { panic!("{stated:?}") };
        assert_eq!((*pytorch, *driver, releases.len()), (Product::PyTorch, Product::NvidiaDriver, 2));
    }

    #[test]
    fn mentions_ranges_and_contradictions_state_nothing() {
        for lines in [
            &["It worked with TensorFlow 2.3 before"][..],
            &["TensorFlow: 1.10 - 1.13"],
            &["TensorFlow: 2.0 / 2.1"],
            &["CUDA: 11.1 / 11.2"],
            &["TensorFlow: 2.4", "TensorFlow: 2.5"],
            &["Display driver version: 32.0.101.6790"],
            &["Display driver version: AMD 26.3.1"],
        ] {
            let stated = of_lines(lines.iter().copied(), 0);
            let all = [
                stated.version(Product::TensorFlow),
                stated.version(Product::Cuda),
                stated.version(Product::NvidiaDriver),
                stated.version(Product::Cudnn),
            ];
            assert!(all.iter().all(Option::is_none), "{lines:?}");
        }
    }
}
