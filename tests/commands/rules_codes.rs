//! `crashsift rules check --explain CODE`.

use spanned_yaml::Code;

use crate::program::run;

#[test]
fn a_code_is_explained_with_an_example() {
    let ran = run(["rules", "check", "--explain", "r106"]).ends_with(0);
    assert_eq!(
        ran.stdout,
        "\
R106 (warning): a suppression whose `until` is past, by the computer's clock or `--today`

The suppression ended, and later findings are shown again. Remove it, or give it a later day if its
reason is still valid. Keep it only if reports about older crashes must not change.

Wrong:
    suppress:
      - {rule: gpu/timeout, reason: New driver ordered., until: 2020-01-31}

Right:
    suppress:
      - {rule: gpu/timeout, reason: New driver ordered., until: 2030-01-31}
"
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn every_code_has_an_explanation() {
    for code in Code::all() {
        let explained = run(["rules", "check", "--explain", code.id]).ends_with(0).stdout;
        assert!(explained.starts_with(&format!("{code} ({}): ", code.level.word())), "{explained}");
    }
}

#[test]
fn for_an_unknown_code_the_nearest_ones_are_named() {
    let ran = run(["rules", "check", "--explain", "R055"]).ends_with(2);
    let expected = "crashsift: there is no code `R055`; the nearest codes are R054 (a file with tests without the file of \
                    their rules), R053 (a rule with tests inside of it and in the file beside it), R052 (a file with tests \
                    (`NAME.tests.yaml`) names a rule that `NAME.yaml` does not have)\n";
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", expected));
    let ran = run(["rules", "check", "--explain", "duplicate"]).ends_with(2);
    let expected =
        "crashsift: there is no code `duplicate`; `rules check` prints codes in brackets, such as error[R019]\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn a_code_is_explained_or_rules_are_checked_and_not_both() {
    let ran = run(["rules", "check", "--explain", "R019", "rules"]).ends_with(2);
    assert!(ran.stderr.contains("--explain"), "{ran:#?}");
}
