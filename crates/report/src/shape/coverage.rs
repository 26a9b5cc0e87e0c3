//! What the artifacts could not show.

use jiff::Timestamp;
use serde::Serialize;

use super::Shown;
use crate::coverage;

/// What the artifacts could not show.
#[derive(Serialize)]
pub struct Coverage<'a> {
    gaps: Vec<Gap<'a>>,
    collect_next: Vec<Request<'a>>,
}

#[derive(Serialize)]
struct Gap<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<&'a str>,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    undetermined: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    says: &'a str,
}

#[derive(Serialize)]
struct Request<'a> {
    id: &'static str,
    incidents: usize,
    undetermined: usize,
    says: &'a str,
}

impl<'a> Coverage<'a> {
    pub(crate) fn of(coverage: &'a coverage::Coverage) -> Self {
        let gap = |gap: &'a coverage::Gap| Gap {
            kind: gap.kind,
            host: gap.host.as_deref(),
            log: gap.log.as_deref(),
            count: gap.count,
            of: gap.of,
            undetermined: gap.undetermined,
            first: gap.first.map(Shown),
            last: gap.last.map(Shown),
            says: &gap.says,
        };
        let request = |request: &'a coverage::Request| Request {
            id: request.id,
            incidents: request.incidents,
            undetermined: request.undetermined,
            says: &request.says,
        };
        Self {
            gaps: coverage.gaps.iter().map(gap).collect(),
            collect_next: coverage.collect_next.iter().map(request).collect(),
        }
    }
}
