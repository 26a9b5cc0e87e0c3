//! The form of a confidence in findings and reports.

use serde::Serializer;

/// A confidence with two decimals, from 0 to 1; 0 for what is not a number.
#[must_use]
pub fn rounded(confidence: f64) -> f64 {
    if confidence.is_nan() {
        return 0.0;
    }
    (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

/// Serialises a confidence with two decimals.
///
/// # Errors
///
/// When the serializer fails.
pub fn write_rounded<S: Serializer>(confidence: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*confidence))
}
