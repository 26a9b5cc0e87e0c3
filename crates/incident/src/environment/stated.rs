//! What a pasted text says of versions. It is somebody's word and not what was loaded, so it is kept apart.

use std::sync::{Arc, LazyLock};

use regex::{Regex, RegexBuilder};

use super::Found;
use crate::gathered::Gathered;
use evidence::{Inventory, Version};
use windows_codes::Knowledge;

/// Versions that a text states. Each is there only when all lines that state it agree.
#[derive(Debug, Clone, Default)]
pub struct Stated {
    /// TensorFlow.
    pub tensorflow: Option<Found<Version>>,
    /// PyTorch.
    pub pytorch: Option<Found<Version>>,
    /// ONNX Runtime.
    pub onnxruntime: Option<Found<Version>>,
    /// The CUDA toolkit, not what `nvidia-smi` calls CUDA Version: that is what the driver can do.
    pub cuda: Option<Found<Version>>,
    /// cuDNN.
    pub cudnn: Option<Found<Version>>,
    /// NVIDIA's driver.
    pub nvidia_driver: Option<Found<Version>>,
    /// The processor's name.
    pub processor: Option<Found<Arc<str>>>,
    /// Of what the texts state several versions that can't be the same, with those, by the card's key.
    pub contradictions: Vec<(&'static str, Vec<Version>)>,
}

/// Which version a pattern finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    TensorFlow,
    PyTorch,
    OnnxRuntime,
    Cuda,
    /// The digits of a PyTorch build's tag: `cu118` is 11.8.
    CudaTag,
    Cudnn,
    /// cuDNN's number for itself: 8401 is 8.4.1, 90100 is 9.1.0.
    CudnnNumber,
    NvidiaDriver,
    /// The processor's name, which is no version.
    Processor,
}

impl Of {
    /// By its name in the table.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "tensorflow" => Self::TensorFlow,
            "pytorch" => Self::PyTorch,
            "onnxruntime" => Self::OnnxRuntime,
            "cuda" => Self::Cuda,
            "cuda-tag" => Self::CudaTag,
            "cudnn" => Self::Cudnn,
            "cudnn-number" => Self::CudnnNumber,
            "nvidia-driver" => Self::NvidiaDriver,
            "processor" => Self::Processor,
            _ => return None,
        })
    }
}

fn insensitive(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).build()
}

/// A line that is longer states no version.
const LONGEST: usize = 200;

pub(super) fn stated(gathered: &Gathered<'_>) -> Stated {
    let mut said = Said::default();
    for (from, ticket) in gathered.described() {
        said.add_lines(ticket.lines.iter().map(|line| &*line.text), from);
        said.add_inventory(&ticket.inventory, from);
    }
    said.agreed()
}

/// What texts say of versions, agreeing or not.
#[derive(Default)]
struct Said {
    versions: Vec<(Of, Found<Version>)>,
    processors: Vec<Found<Arc<str>>>,
}

impl Said {
    fn add_lines<'t>(&mut self, lines: impl Iterator<Item = &'t str>, from: usize) {
        static REGEXES: LazyLock<Vec<(Of, Regex)>> = LazyLock::new(|| {
            let patterns = Knowledge::builtin().stated_versions();
            patterns.filter_map(|(of, pattern)| Some((Of::named(of)?, insensitive(pattern).ok()?))).collect()
        });
        for line in lines.filter(|line| line.len() <= LONGEST && may_state(line)) {
            for (of, regex) in REGEXES.iter() {
                let Some(text) = regex.captures(line).and_then(|groups| groups.get(1)) else { continue };
                if *of == Of::Processor {
                    self.processors.push(Found { value: Arc::from(text.as_str()), from });
                } else {
                    self.add(read(*of, text.as_str()), from);
                }
            }
        }
    }

    /// What was recognised as the output of tools states the same things.
    fn add_inventory(&mut self, inventory: &Inventory, from: usize) {
        self.add(inventory.nvidia_driver.map(|version| (Of::NvidiaDriver, version)), from);
        for (name, version) in &inventory.packages {
            let of = match name.to_ascii_lowercase().as_str() {
                "tensorflow" | "tensorflow-gpu" | "tensorflow-intel" | "tensorflow-cpu" => Of::TensorFlow,
                "torch" | "pytorch" => Of::PyTorch,
                "onnxruntime" | "onnxruntime-gpu" | "onnxruntime-directml" => Of::OnnxRuntime,
                _ => continue,
            };
            // What follows is a build's tag, or marks a release that is not final.
            let end = version.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(version.len());
            let numbers = version.get(..end).unwrap_or_default().trim_end_matches('.');
            self.add(numbers.parse().ok().map(|version| (of, version)), from);
        }
    }

    fn add(&mut self, said: Option<(Of, Version)>, from: usize) {
        self.versions.extend(said.map(|(of, value)| (of, Found { value, from })));
    }

    fn agreed(self) -> Stated {
        let versions = |of: Of| self.versions.iter().filter(move |(other, _)| *other == of).map(|(_, found)| *found);
        let agreed = |of: Of| {
            let first = versions(of).next()?;
            versions(of).all(|other| alike(first.value, other.value)).then_some(first)
        };
        let contradicted = |(of, key): (Of, &'static str)| {
            let mut different: Vec<Version> = Vec::new();
            for found in versions(of) {
                if !different.iter().any(|known| alike(*known, found.value)) {
                    different.push(found.value);
                }
            }
            (different.len() > 1).then_some((key, different))
        };
        let keys = [
            (Of::TensorFlow, "tensorflow"),
            (Of::PyTorch, "pytorch"),
            (Of::OnnxRuntime, "onnxruntime"),
            (Of::Cuda, "cuda"),
            (Of::Cudnn, "cudnn"),
            (Of::NvidiaDriver, "gpu_driver"),
        ];
        let processor = self.processors.first();
        Stated {
            tensorflow: agreed(Of::TensorFlow),
            pytorch: agreed(Of::PyTorch),
            onnxruntime: agreed(Of::OnnxRuntime),
            cuda: agreed(Of::Cuda),
            cudnn: agreed(Of::Cudnn),
            nvidia_driver: agreed(Of::NvidiaDriver),
            processor: processor
                .filter(|first| self.processors.iter().all(|other| other.value == first.value))
                .cloned(),
            contradictions: keys.into_iter().filter_map(contradicted).collect(),
        }
    }
}

#[cfg(test)]
fn of_lines<'t>(lines: impl Iterator<Item = &'t str>, from: usize) -> Stated {
    let mut said = Said::default();
    said.add_lines(lines, from);
    said.agreed()
}

/// Whether a line has one of the words that all patterns ask for.
fn may_state(line: &str) -> bool {
    const WORDS: &[&str] = &["tensorflow", "torch", "onnxruntime", "cuda", "cudnn", "driver", "cpu", "processor"];
    let line = line.to_ascii_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}

fn read(of: Of, text: &str) -> Option<(Of, Version)> {
    match of {
        Of::CudaTag => {
            let number: u16 = text.parse().ok()?;
            Some((Of::Cuda, Version([number.checked_div(10)?, number.checked_rem(10)?, 0, 0])))
        }
        Of::CudnnNumber => {
            let number: u32 = text.parse().ok()?;
            // Two digits for the minor number from 9 on.
            let unit = if number < 90_000 { 1000 } else { 10_000 };
            let minor = number.checked_rem(unit)?.checked_div(100)?;
            Some((
                Of::Cudnn,
                Version([u16::try_from(number.checked_div(unit)?).ok()?, u16::try_from(minor).ok()?, 0, 0]),
            ))
        }
        _ => Some((of, text.parse().ok()?)),
    }
}

/// Whether both may be the same: `2.4` and `2.4.1`.
fn alike(Version(a): Version, Version(b): Version) -> bool {
    let [a_major, a_minor, a_patch, _] = a;
    let [b_major, b_minor, b_patch, _] = b;
    (a_major, a_minor) == (b_major, b_minor) && (a_patch == b_patch || a_patch == 0 || b_patch == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(found: Option<Found<Version>>) -> Option<(u16, u16)> {
        found.map(|found| (found.value.0[0], found.value.0[1]))
    }

    #[test]
    fn all_patterns_of_the_table_can_be_used() {
        for (of, pattern) in Knowledge::builtin().stated_versions() {
            assert!(Of::named(of).is_some(), "{of}");
            let groups = insensitive(pattern).map(|regex| regex.captures_len());
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
        assert_eq!(two(stated.tensorflow), Some((2, 4)));
        assert_eq!(two(stated.cuda), Some((11, 0)), "nvidia-smi tells what the driver can do");
        assert_eq!(two(stated.cudnn), Some((8, 0)));
        assert_eq!(two(stated.nvidia_driver), Some((461, 40)));
        assert_eq!(two(stated.onnxruntime), Some((1, 19)));
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
        assert_eq!(two(stated.cudnn), Some((8, 4)));
        assert_eq!(two(stated.pytorch), Some((2, 4)));
        assert_eq!(two(stated.cuda), Some((11, 8)));
        assert_eq!(two(of_lines(["Loaded cuDNN version 90100"].into_iter(), 0).cudnn), Some((9, 1)));
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
        let mut said = Said::default();
        said.add_lines(["Display driver: 461.40", "PyTorch: 2.1.0"].into_iter(), 0);
        let packages = vec![("torch".into(), "2.4.1+cu118".into()), ("tensorflow".into(), "2.10.0rc1".into())];
        said.add_inventory(
            &Inventory { nvidia_driver: Some(Version([536, 23, 0, 0])), packages, ..Inventory::default() },
            1,
        );
        let stated = said.agreed();
        assert!(stated.nvidia_driver.is_none() && stated.pytorch.is_none());
        assert_eq!(two(stated.tensorflow), Some((2, 10)));
        let [(pytorch, _), (driver, releases)] = stated.contradictions.as_slice() else { panic!("{stated:?}") };
        assert_eq!((*pytorch, *driver, releases.len()), ("pytorch", "gpu_driver", 2));
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
            let all = [stated.tensorflow, stated.cuda, stated.nvidia_driver, stated.cudnn];
            assert!(all.iter().all(Option::is_none), "{lines:?}");
        }
    }
}
