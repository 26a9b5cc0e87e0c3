//! Names of functions as people read them.

/// The name without what compilers add of its type: a C function's, or a C++ function's with its classes and namespaces.
/// Names with more in them, such as operators and templates, stay as they are.
pub fn plain(name: &str) -> String {
    qualified(name).or_else(|| of_c(name).map(str::to_owned)).unwrap_or_else(|| name.to_owned())
}

/// `?name@Class@Namespace@@type`, inner before outer.
fn qualified(name: &str) -> Option<String> {
    let (path, _) = name.strip_prefix('?')?.split_once("@@")?;
    let mut parts: Vec<&str> = path.split('@').collect();
    let is_word = |part: &&str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if !parts.iter().all(is_word) {
        return None;
    }
    parts.reverse();
    Some(parts.join("::"))
}

/// `_name@bytes` and `@name@bytes` of 32-bit code.
fn of_c(name: &str) -> Option<&str> {
    let (inner, bytes) = name.strip_prefix(['_', '@'])?.split_once('@')?;
    (!inner.is_empty() && !bytes.is_empty() && bytes.bytes().all(|digit| digit.is_ascii_digit())).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_types() {
        let cases = [
            ("?run@Worker@app@@QEAAXXZ", "app::Worker::run"),
            ("?main_loop@@YAHXZ", "main_loop"),
            ("_CreateFileW@28", "CreateFileW"),
            ("@fast@8", "fast"),
            ("RtlUserThreadStart", "RtlUserThreadStart"),
            ("__scrt_common_main", "__scrt_common_main"),
            ("??0Worker@app@@QEAA@XZ", "??0Worker@app@@QEAA@XZ"),
            ("?get@?$list@H@std@@QEAAHXZ", "?get@?$list@H@std@@QEAAHXZ"),
        ];
        for (name, shown) in cases {
            assert_eq!(plain(name), shown);
        }
    }
}
