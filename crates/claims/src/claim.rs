//! The file with claims: JSON.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use windows_codes::{Kind, code_of};

/// The most claims of a file.
const MOST: usize = 10_000;

/// Why a file can't be read as claims.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableClaims {
    /// It is no JSON, or has another shape.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// There are too many claims, or none.
    #[error("it has {0} claims; from 1 to {MOST} are checked")]
    Count(usize),
}

/// Claims about the crashes of some artifacts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The incident that all claims are about: its id, or the beginning of it. Without it they are about any.
    #[serde(default)]
    pub incident: Option<String>,
    /// The claims, each an object with one of `quote`, `module`, `code`, `time`, `process`, `host` and `cause`: a [`Claim`].
    pub claims: Vec<Value>,
}

/// What a module is claimed to have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The exception was raised in it.
    Faulting,
    /// It is the suspected module.
    Suspect,
    /// It is on the stack of the thread that crashed.
    Stack,
    /// The process had loaded it.
    Loaded,
}

/// One claim. Exactly one of the first seven is there; the others say more about it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A text that some artifact has, word for word; blanks and line breaks count as one blank.
    pub quote: Option<String>,
    /// The file name of a module.
    pub module: Option<String>,
    /// A code of an exception, a bugcheck or a fast fail, as a number or a text in any notation, or its name.
    pub code: Option<Value>,
    /// A time at which an incident or an event was, with its zone.
    pub time: Option<String>,
    /// The file name of a program that failed.
    pub process: Option<String>,
    /// The name of a computer.
    pub host: Option<String>,
    /// A cause that a verdict names.
    pub cause: Option<String>,
    /// Of a module: its version, or the beginning of it.
    pub version: Option<String>,
    /// Of a module: the place in it.
    pub offset: Option<Value>,
    /// Of a module: what it did.
    pub role: Option<Role>,
    /// Of a process: its id.
    pub pid: Option<u32>,
    /// Of a time: how many seconds it may be off. Without it, half a second, and a minute where the time has no seconds.
    pub within: Option<u32>,
    /// Of a quote: the end of the path of the artifact that has it.
    pub artifact: Option<String>,
    /// The incident that the claim is about, instead of that of all claims.
    pub incident: Option<String>,
}

/// What a claim is about.
pub(crate) enum Subject<'c> {
    Quote(&'c str),
    Module(&'c str, Option<u64>),
    /// A number, or the codes that have a name, each of its kind.
    Code(Vec<(Option<Kind>, u64)>),
    Time(Timestamp, i64),
    Process(&'c str),
    Host(&'c str),
    Cause(&'c str),
}

/// Reads claims: an object with `claims`, or only the list of them.
///
/// # Errors
/// When the bytes are no JSON of this shape. Of a claim that can't be checked, its answer has the reason.
pub fn read(bytes: &[u8]) -> Result<Claims, UnreadableClaims> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let claims = if bytes.trim_ascii_start().starts_with(b"[") {
        Claims { incident: None, claims: serde_json::from_slice(bytes)? }
    } else {
        serde_json::from_slice(bytes)?
    };
    if claims.claims.is_empty() || claims.claims.len() > MOST {
        return Err(UnreadableClaims::Count(claims.claims.len()));
    }
    Ok(claims)
}

impl Claim {
    /// What the claim is about, its values understood.
    ///
    /// # Errors
    /// Why it can't be checked: it says nothing, several things at once, or a value that can't be understood.
    pub(crate) fn subject(&self) -> Result<Subject<'_>, String> {
        let mut subjects = Vec::new();
        let text = |text: &str, what: &str| match text.trim() {
            "" => Err(format!("`{what}` is empty")),
            _ => Ok(()),
        };
        if let Some(quote) = &self.quote {
            text(quote, "quote")?;
            subjects.push(Subject::Quote(quote));
        }
        if let Some(module) = &self.module {
            text(module, "module")?;
            let offset = self
                .offset
                .as_ref()
                .map(|offset| number(offset).or_else(|| unmarked(offset)).ok_or("`offset` is no number"));
            subjects.push(Subject::Module(module, offset.transpose()?));
        }
        if let Some(code) = &self.code {
            let codes = number(code).or_else(|| in_hex(code)).map_or_else(|| named(code), |code| vec![(None, code)]);
            if codes.is_empty() {
                return Err("`code` is no number and no known name of an exception, bugcheck or fast fail".to_owned());
            }
            subjects.push(Subject::Code(codes));
        }
        if let Some(time) = &self.time {
            let (parsed, precision) = parse_time(time)?;
            subjects.push(Subject::Time(
                parsed,
                self.within.map_or(precision, |seconds| i64::from(seconds).saturating_mul(1000)),
            ));
        }
        for (value, what, subject) in [
            (&self.process, "process", Subject::Process as fn(_) -> _),
            (&self.host, "host", Subject::Host),
            (&self.cause, "cause", Subject::Cause),
        ] {
            if let Some(value) = value {
                text(value, what)?;
                subjects.push(subject(value));
            }
        }
        match (subjects.pop(), subjects.is_empty()) {
            (Some(only), true) => self.fits(&only).map(|()| only),
            _ => Err("write one of quote, module, code, time, process, host and cause".to_owned()),
        }
    }

    /// Whether the keys that say more belong to the subject.
    fn fits(&self, subject: &Subject<'_>) -> Result<(), String> {
        let (is_module, is_process) = (matches!(subject, Subject::Module(..)), matches!(subject, Subject::Process(_)));
        let (is_time, is_quote) = (matches!(subject, Subject::Time(..)), matches!(subject, Subject::Quote(_)));
        for (is_there, belongs, key, of) in [
            (self.version.is_some(), is_module, "version", "module"),
            (self.offset.is_some(), is_module, "offset", "module"),
            (self.role.is_some(), is_module, "role", "module"),
            (self.pid.is_some(), is_process, "pid", "process"),
            (self.within.is_some(), is_time, "within", "time"),
            (self.artifact.is_some(), is_quote, "artifact", "quote"),
        ] {
            if is_there && !belongs {
                return Err(format!("`{key}` belongs to `{of}`"));
            }
        }
        Ok(())
    }
}

/// A number of digits alone as people copy it from a debugger, in hexadecimal without a mark.
pub(crate) fn unmarked(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?, 16).ok()
}

/// A number of 64 bits in any notation; a negative one as the 32 bits that it stands for.
fn number(value: &Value) -> Option<u64> {
    let signed = |number: i64| {
        u64::try_from(number).ok().or_else(|| Some(u64::from(i32::try_from(number).ok()?.cast_unsigned())))
    };
    match value {
        Value::Number(number) => number.as_u64().or_else(|| signed(number.as_i64()?)),
        Value::String(text) => {
            let text = text.trim();
            untrusted::notation::number_u64(text).or_else(|| signed(text.parse().ok()?))
        }
        _ => None,
    }
}

/// A code of eight hexadecimal digits without their mark.
fn in_hex(value: &Value) -> Option<u64> {
    value.as_str().filter(|text| text.trim().len() == 8).and_then(|_| unmarked(value))
}

/// The codes of a name: of exceptions, bugchecks and fast fails.
fn named(value: &Value) -> Vec<(Option<Kind>, u64)> {
    let of = |kind| Some((Some(kind), u64::from(code_of(kind, value.as_str()?)?)));
    [Kind::Exception, Kind::Bugcheck, Kind::FastFail].into_iter().filter_map(of).collect()
}

/// A time with its zone, and how exact it is, milliseconds.
fn parse_time(text: &str) -> Result<(Timestamp, i64), String> {
    let text = text.trim();
    let has_seconds = text.as_bytes().get("2024-11-11T17:43".len()) == Some(&b':');
    let time = text.parse().map_err(|_| "write `time` with its zone: 2024-11-11T17:43:55Z".to_owned())?;
    Ok((time, if has_seconds { 500 } else { 60_000 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_an_object_or_a_list() {
        let list = read(br#"[{"quote": "out of memory"}, {"module": "a.dll", "offset": "0x10", "role": "faulting"}]"#);
        assert_eq!(list.expect("claims").claims.len(), 2);
        let object = read(br#"{"incident": "7f3a", "claims": [{"code": -1073740791}]}"#).expect("claims");
        assert_eq!(object.incident.as_deref(), Some("7f3a"));
        let claim = Claim::deserialize(&object.claims[0]).expect("a claim");
        assert!(matches!(claim.subject(), Ok(Subject::Code(codes)) if codes == [(None, 0xC000_0409)]));
    }

    #[test]
    fn what_can_not_be_read_is_refused_and_what_can_not_be_checked_is_named() {
        for (json, reason) in [("{", "EOF"), ("[]", "it has 0 claims"), (r#"{"claim": []}"#, "unknown field `claim`")] {
            let error = read(json.as_bytes()).expect_err("not to be read").to_string();
            assert!(error.contains(reason), "{json}: {error}");
        }
        for (json, reason) in [
            (r#"[{}]"#, "write one of quote"),
            ("[7]", "expected struct Claim"),
            (r#"[{"qoute": "a"}]"#, "unknown field `qoute`"),
            (r#"[{"module": "a.dll", "role": "guilty"}]"#, "unknown variant `guilty`"),
            (r#"[{"quote": "a", "code": 5}]"#, "write one of"),
            (r#"[{"quote": " "}]"#, "`quote` is empty"),
            (r#"[{"code": "twelve"}]"#, "`code` is no number and no known name"),
            (r#"[{"time": "yesterday"}]"#, "write `time` with its zone"),
            (r#"[{"code": 5, "version": "1"}]"#, "`version` belongs to `module`"),
        ] {
            let claims = read(json.as_bytes()).expect("claims");
            let claim = Claim::deserialize(&claims.claims[0]).map_err(|error| error.to_string());
            let error = claim.and_then(|claim| claim.subject().map(|_| ())).expect_err("not to be checked");
            assert!(error.contains(reason), "{json}: {error}");
        }
    }

    #[test]
    fn numbers_and_times_are_read_in_every_notation() {
        let of = |json: &str| number(&serde_json::from_str(json).expect("JSON"));
        for json in
            ["3221226505", "-1073740791", "\"0xC0000409\"", "\"0xc0000409\"", "\"-1073740791\"", "\"3221226505\""]
        {
            assert_eq!(of(json), Some(0xC000_0409), "{json}");
        }
        assert_eq!(in_hex(&Value::from("C06D007E")), Some(0xC06D_007E));
        assert_eq!(in_hex(&Value::from("deadly")), None);
        let named = |name: &str| named(&Value::from(name));
        assert_eq!(named("STATUS_STACK_BUFFER_OVERRUN"), [(Some(Kind::Exception), 0xC000_0409)]);
        assert_eq!(named("video_tdr_failure"), [(Some(Kind::Bugcheck), 0x116)]);
        assert_eq!(named("FAST_FAIL_FATAL_APP_EXIT"), [(Some(Kind::FastFail), 7)]);
        assert_eq!(named("twelve"), []);
        assert_eq!(parse_time("2024-11-11T17:43:55Z").map(|(_, precision)| precision), Ok(500));
        assert_eq!(parse_time("2024-11-11T17:43Z").map(|(_, precision)| precision), Ok(60_000));
        assert_eq!(
            parse_time("2024-11-11T18:43+01:00").map(|(time, _)| time.to_string()),
            Ok("2024-11-11T17:43:00Z".into())
        );
    }
}
