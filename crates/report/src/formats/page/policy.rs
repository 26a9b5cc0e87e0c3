//! The hashes by which the policy of an HTML page allows its own style sheet and its own script, and nothing else.
//!
//! A test prints the new hash after a change of `report.css` or `report.js`.

/// SHA-256 of `report.css`, in Base64.
pub(super) const STYLE_HASH: &str = "3O+yeKE60zj4uG6iqDjRR4aX3RMOT9tl7x7uW1Nf8bk=";
/// SHA-256 of `report.js`, in Base64.
pub(super) const SCRIPT_HASH: &str = "PZR+poWtqsczo4u09xrnIqqtBA3cnma5xevXj6xi3uE=";

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_policy_allows_the_style_sheet_and_the_script_of_the_page() {
        let hash = |text: &str| BASE64.encode(&Sha256::digest(text));
        assert_eq!(super::STYLE_HASH, hash(super::super::STYLE), "STYLE_HASH");
        assert_eq!(super::SCRIPT_HASH, hash(super::super::SCRIPT), "SCRIPT_HASH");
    }
}
