//! Reports made by hand, for the tests of the formats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::date;

use crate::groups::{Attribute, Counts, Unit, causes, conclusion, representative};
use crate::model::{CollectRequest, Coverage, Gap, Group, OverRepresented};
use crate::{
    Artifact, ArtifactStatus, GapRequest, Judged, Lead, Limits, Measured, Report, RuleSetInfo, Selected, Summary,
    Verdict,
};
use evidence::{
    Address, BugcheckCode, ExceptionCode, FastFailCode, FrameTrust, ModuleOffset, Place, SigmaRule, Version,
};
use facts::{EvidenceRef, NamedIncidents, Relation, SigmaNearby};
use incident::{
    Access, Annotated, Bugcheck, Component, CrashedThread, DumpState, EarlierValue, EvidenceItem, ExceptionFacts,
    FastFail, FaultSite, FieldOffset, Incident, IncidentKind, InlineFrame, InnerError, JoinKey, JoinedBy, Machine,
    Mechanism, MechanismKind, MechanismOrigin, MechanismStep, NeededFile, OtherModule, OtherSoftware, ParameterMeaning,
    Process, SIGMA, Signature, StackFrame, StackKind, Suspect, Thread, Thrown, TimelineEntry, WindowsFile,
    WindowsFiles,
};
use rules::{Audience, Cost, Finding, NamedEntries, Remediation, Risk, Severity, Suppressed, SuppressedBy};
use rules::{Causes, UNDETERMINED};

/// Seconds after 2024-11-11T17:43:55Z.
pub(crate) fn second(second: i64) -> Timestamp {
    Timestamp::from_second(1_731_347_035_i64.saturating_add(second)).expect("a time")
}

/// The report of a run over `artifacts` that found nothing.
pub(crate) fn nothing_found(artifacts: Vec<Artifact>) -> Report {
    let with = |status| artifacts.iter().filter(|artifact| artifact.status == status).count();
    let summary = Summary {
        artifacts: artifacts.len(),
        failed: with(ArtifactStatus::Failed),
        partial: with(ArtifactStatus::Partial),
        archives: artifacts.iter().filter(|artifact| artifact.is_unopened_archive()).count(),
        ..Summary::default()
    };
    Report {
        limits: Limits::default(),
        selected: Selected::default(),
        keeps_evidence: false,
        comparison: None,
        causes: Causes::default(),
        rule_sets: vec![RuleSetInfo {
            name: "builtin".into(),
            version: "2026.11".into(),
            rules: 120,
            overrides: 0,
            disables: 0,
            suppressions: 0,
            lists: 0,
        }],
        artifacts,
        incidents: Vec::new(),
        machines: Vec::new(),
        groups: Vec::new(),
        coverage: Coverage::default(),
        summary,
    }
}

/// The report of a run over `artifacts` that found `incidents`, grouped by their coarse signatures.
pub(crate) fn report(artifacts: Vec<Artifact>, incidents: Vec<Judged>) -> Report {
    let mut by_signature: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    let mut summary = Summary { incidents: incidents.len(), ..nothing_found(artifacts.clone()).summary };
    for judged in &incidents {
        by_signature.entry(&judged.incident.signature.coarse).or_default().push(judged);
        if judged.verdict.is_undetermined() {
            summary.undetermined = summary.undetermined.saturating_add(1);
        } else {
            let count: &mut usize = summary.by_cause.entry(judged.verdict.cause.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }
    let group = |(signature, members): (&str, Vec<&Judged>)| {
        let mut hosts: Vec<_> = members.iter().filter_map(|judged| judged.incident.host.clone()).collect();
        hosts.dedup();
        let (cause, confidence) = conclusion(&members).unzip();
        let representative = representative(&members, cause.as_deref()).expect("a group has members");
        Group {
            representative: representative.incident.id.clone(),
            symptom: cause.is_some() && representative.verdict.symptom,
            cause,
            confidence,
            causes: causes(&members),
            over_represented: Vec::new(),
            changes_before: None,
            changes_unknown: None,
            signature: signature.to_owned(),
            party: None,
            incidents: members.iter().map(|judged| judged.incident.id.clone()).collect(),
            first: members.iter().filter_map(|judged| judged.incident.time).min(),
            last: members.iter().filter_map(|judged| judged.incident.time).max(),
            hosts: hosts.len(),
        }
    };
    let groups = by_signature.into_iter().map(group).collect();
    Report { groups, summary, incidents, ..nothing_found(artifacts) }
}

pub(crate) fn artifact(path: &str, status: ArtifactStatus, detail: Option<&str>) -> Artifact {
    let kind = match path.rsplit('.').next() {
        Some("dmp") => "minidump",
        Some("evtx") => "event-log",
        Some("zip") => "archive",
        _ => "unknown",
    };
    let records = (kind == "event-log").then_some(120);
    Artifact {
        path: path.into(),
        kind: kind.into(),
        status,
        detail: detail.map(str::to_owned),
        bytes: 65536,
        records,
        party: None,
        evidence: None,
    }
}

pub(crate) fn timeline_entry(after: i64, kind: &'static str, says: &str) -> TimelineEntry {
    TimelineEntry {
        time: second(after),
        kind,
        provider: "disk".into(),
        id: 153,
        sentence: says.into(),
        sigma: None,
        incident: None,
        item: 0,
        artifact: 1,
        place: Place::Record(after.unsigned_abs()),
    }
}

/// A crash of which nearly nothing is known and whose cause nothing supports.
pub(crate) fn undetermined(id: &str, after: i64) -> Judged {
    Judged {
        incident: Incident {
            id: id.into(),
            kind: IncidentKind::Crash,
            time: Some(second(after)),
            host: Some("PC-7".into()),
            host_by_folder: false,
            shut_down: false,
            may_be_of: Vec::new(),
            crashed_later: None,
            process: Some(Process { name: Some("python.exe".into()), ..Process::default() }),
            exception: None,
            bugcheck: None,
            fault_site: None,
            mechanism: None,
            suspect: None,
            stack: Vec::new(),
            symbols_needed: Vec::new(),
            thrown: Vec::new(),
            dump: None,
            other_software: None,
            built_with: Vec::new(),
            environment: BTreeMap::new(),
            signature: Signature { algorithm: 1, coarse: "crash|python.exe".into(), fine: "crash|python.exe|-".into() },
            evidence: vec![EvidenceItem {
                artifact: 1,
                place: Place::Record(4711),
                sentence: "Application Error 1000 names python.exe.".into(),
                joined_by: None,
            }],
            remarks: Vec::new(),
        },
        findings: Vec::new(),
        suppressed: Vec::new(),
        sigma: Vec::new(),
        threads: Vec::new(),
        party: None,
        verdict: Verdict {
            cause: UNDETERMINED.into(),
            family: None,
            symptom: false,
            confidence: 0.0,
            sentence: "python.exe crashed, and nothing that was read shows why.".into(),
            measured: None,
            collect_next: vec!["The minidump from %LOCALAPPDATA%\\CrashDumps.".into()],
            gap_requests: vec![GapRequest { id: "no-dump", at: 0 }],
            leads: Vec::new(),
        },
    }
}

pub(crate) fn finding(rule: &str, cause: &str, confidence: f64) -> Finding {
    Finding {
        rule: rule.into(),
        ruleset: "builtin".into(),
        overridden_by: Vec::new(),
        cause: cause.into(),
        symptom: false,
        confidence,
        severity: Severity::High,
        title: "the heap manager found damage".into(),
        explanation: "The heap was damaged before.".into(),
        remediation: Vec::new(),
        collect: Vec::new(),
        evidence: Vec::new(),
        entries: Vec::new(),
        incidents: Vec::new(),
        references: Vec::new(),
        suppression_ended: None,
        superseded_by: None,
    }
}

fn joined(key: JoinKey) -> JoinedBy {
    JoinedBy { key, strength: key.strength(), to: 0 }
}

/// A crash of which every kind of fact is known.
pub(crate) fn crash(id: &str) -> Judged {
    let mut judged = undetermined(id, 0);
    let incident = &mut judged.incident;
    incident.time = Some("2024-11-11T17:43:55.129275Z".parse().expect("a time"));
    incident.process = Some(Process {
        name: Some("python.exe".into()),
        version: Some(Version([3, 9, 13150, 1013])),
        pid: Some(4312),
        path: Some("C:\\Python39\\python.exe".into()),
        started: Some(second(-60)),
    });
    incident.exception = Some(ExceptionFacts {
        recorded_code: Some(ExceptionCode(0xE06D_7363)),
        code: ExceptionCode::FAST_FAIL,
        name: Some("STATUS_STACK_BUFFER_OVERRUN".into()),
        address: Some(Address(0x7FFA_1B2C_3D4E)),
        parameters: Some(vec![7]),
        fast_fail: Some(FastFail { code: FastFailCode(7), name: Some("FAST_FAIL_FATAL_APP_EXIT".into()) }),
        access: Some(Access { kind: Some("read"), address: Address(0) }),
    });
    incident.fault_site = Some(FaultSite {
        module: "ucrtbase.dll".into(),
        version: Some(Version([10, 0, 19041, 789])),
        offset: Some(ModuleOffset(0x7286E)),
        path: Some("C:\\Windows\\System32\\ucrtbase.dll".into()),
        function: Some("abort".into()),
        unloaded: false,
        carrier: true,
    });
    incident.mechanism = Some(Mechanism {
        kind: MechanismKind::NullRead,
        certainty: 0.97,
        sentence: "ucrtbase.dll read through a null pointer (`mov eax,[rcx+0x18]` with rcx = 0x0).".into(),
        register: Some("rcx".into()),
        offset: Some(FieldOffset(0x18)),
        address: Some(Address(0x18)),
        access: Some("read"),
        instruction: Some("mov eax,[rcx+0x18]".into()),
        origin: Some(MechanismOrigin {
            end: "return-value",
            frame: 1,
            module: Some("cudnn64_8.dll".into()),
            callee: Some("zlibwapi.dll".into()),
            steps: vec![MechanismStep {
                frame: 1,
                address: Address(0x7FFA_1000_2000),
                instruction: "mov rcx,[rbx+0x8]".into(),
                loaded: Some(Address(0)),
            }],
            sentence: "The value was returned by a function in zlibwapi.dll.".into(),
        }),
    });
    incident.suspect = Some(Suspect {
        module: "cudnn64_8.dll".into(),
        version: Some(Version([6, 14, 11, 6050])),
        path: Some("C:\\tools\\cudnn64_8.dll".into()),
        what: Some("cuDNN of NVIDIA: library for neural networks".into()),
        kind: Some("machine-learning".into()),
        basis: incident::Basis::Unwound,
        reason: "The first frame of the stack that is no carrier lies in it.".into(),
    });
    let frame = |module: &str, offset, trust| StackFrame {
        module: Some(module.into()),
        offset: Some(ModuleOffset(offset)),
        address: Some(Address(0x7FFA_1B00_0000 | offset)),
        trust,
        ..StackFrame::default()
    };
    incident.stack = vec![
        StackFrame {
            version: Some(Version([10, 0, 19041, 789])),
            function: Some("abort".into()),
            ..frame("ucrtbase.dll", 0x7286E, FrameTrust::Exact)
        },
        frame("cudnn64_8.dll", 0x12C40, FrameTrust::Unwound),
        frame("python39.dll", 0x4010, FrameTrust::Unwound),
        frame("python39.dll", 0x4010, FrameTrust::Unwound),
        frame("python39.dll", 0x4010, FrameTrust::Unwound),
        StackFrame { probability: Some(0.36), ..frame("python.exe", 0x1290, FrameTrust::Scanned) },
        StackFrame {
            function: Some("fit".into()),
            file: Some("C:\\work\\train.py".into()),
            line: Some(12),
            trust: FrameTrust::Exact,
            of: StackKind::Python,
            ..StackFrame::default()
        },
    ];
    incident.thrown = vec![Thrown {
        of: StackKind::Native,
        type_name: "class std::bad_alloc".into(),
        text: Some("bad allocation".into()),
        module: Some("cudnn64_8.dll".into()),
    }];
    incident.dump = Some(state_of_dump());
    incident.other_software = Some(OtherSoftware {
        modules: vec![
            OtherModule {
                module: "rtsshooks64.dll".into(),
                version: Some(Version([1, 3, 5, 0])),
                path: Some("C:\\Program Files\\RivaTuner\\RTSSHooks64.dll".into()),
                folder: None,
                what: Some("RivaTuner Statistics Server overlay".into()),
                kind: Some("overlays".into()),
            },
            OtherModule {
                module: "plugin.dll".into(),
                version: None,
                path: Some("C:\\Tools\\plugin.dll".into()),
                folder: Some("Tools".into()),
                what: None,
                kind: None,
            },
        ],
        left_out: Some(3),
        from: 0,
    });
    incident.built_with = vec![Component {
        what: "Python of python.org".into(),
        module: "python39.dll".into(),
        version: Some(Version([3, 9, 13150, 1013])),
        from: 0,
    }];
    incident.environment = BTreeMap::from([("cudnn", "8".into()), ("os", "Windows 10.0.19045".into())]);
    incident.evidence = vec![
        EvidenceItem {
            artifact: 0,
            place: Place::Stream("Exception"),
            sentence: "The process ended with 0xC0000409, fast-fail 7.".into(),
            joined_by: None,
        },
        EvidenceItem {
            artifact: 0,
            place: Place::Stream("ModuleList"),
            sentence: "cudnn64_8.dll is loaded.".into(),
            joined_by: Some(joined(JoinKey::SameText)),
        },
        EvidenceItem {
            artifact: 1,
            place: Place::Record(4711),
            sentence: "Application Error 1000 names ucrtbase.dll.".into(),
            joined_by: Some(joined(JoinKey::ProcessAndStart)),
        },
    ];
    incident.remarks = vec!["The event log writes another time than the dump: 2 s later.".into()];
    let mut leading = finding("cudnn/zlibwapi-missing", "missing-dependency", 0.93);
    leading.title = "cuDNN could not load zlibwapi.dll".into();
    leading.explanation =
        "cuDNN 8 loads zlibwapi.dll by name and ends the process when Windows does not find it.".into();
    leading.remediation = vec![
        Remediation {
            audience: Audience::Developer,
            text: "Ship zlibwapi.dll beside cudnn64_8.dll.".into(),
            cost: None,
            risk: None,
            admin: false,
            undo: None,
        },
        Remediation {
            audience: Audience::Helpdesk,
            text: "Put the 64-bit zlibwapi.dll into a folder of PATH and start the program again.".into(),
            cost: Some(Cost::Minutes),
            risk: Some(Risk::Low),
            admin: true,
            undo: Some("Delete the file again.".into()),
        },
    ];
    leading.collect = vec!["The output of `where zlibwapi.dll`.".into()];
    leading.evidence = vec![EvidenceRef(1), EvidenceRef(2)];
    leading.references =
        vec!["https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-830/pdf/cuDNN-Installation-Guide.pdf".into()];
    let symptom = Finding { symptom: true, ..finding("heap/corruption", "heap-corruption", 0.31) };
    judged.findings = vec![leading, symptom];
    judged.verdict = Verdict {
        cause: "missing-dependency".into(),
        family: Some("loading".into()),
        symptom: false,
        confidence: 0.93,
        sentence: "python.exe ended because cuDNN did not find zlibwapi.dll.".into(),
        measured: None,
        collect_next: vec!["The output of `where zlibwapi.dll`.".into()],
        gap_requests: Vec::new(),
        leads: Vec::new(),
    };
    judged
}

/// The state of a process of which everything is known.
fn state_of_dump() -> DumpState {
    DumpState {
        written: Some(second(0)),
        requested: Some(true),
        uptime_seconds: Some(60),
        system_uptime_seconds: Some(7_200),
        memory_available: Some(1 << 30),
        commit_charge: Some(7 << 30),
        commit_limit: Some(8 << 30),
        process_commit: Some(3 << 30),
        working_set: Some(2 << 30),
        virtual_size: Some(9 << 30),
        handles: Some(812),
        threads: Some(2),
        integrity: Some("medium"),
        thread: Some(CrashedThread { id: 7, name: Some("worker".into()), start: Some("python.exe+0x1000".into()) }),
        inner_errors: vec![InnerError {
            code: ExceptionCode(0x8000_4002),
            name: Some("E_NOINTERFACE".into()),
            module: Some("combase.dll".into()),
            text: Some("no such interface".into()),
        }],
        windows_files: Some(WindowsFiles {
            build: 19041,
            files: 40,
            of_other_builds: vec![WindowsFile {
                module: "store.dll".into(),
                version: Version([10, 0, 18362, 1]),
                build: 18362,
                path: "C:\\Windows\\System32\\store.dll".into(),
            }],
        }),
        messages: vec!["Assertion failed: size > 0".into()],
        comment: Some("*** procdump -ma".into()),
        annotations: vec![Annotated { key: "ptype".into(), value: "renderer".into() }],
        annotations_left_out: Some(4),
        says: vec!["It had run for 60 s.".into(), "1.0 GiB of RAM were free.".into()],
    }
}

/// The threads of a process.
pub(crate) fn threads() -> Vec<Thread> {
    let frame = StackFrame {
        module: Some("ntdll.dll".into()),
        offset: Some(ModuleOffset(0x9F5D4)),
        trust: FrameTrust::Exact,
        ..StackFrame::default()
    };
    let main = Thread {
        id: 6,
        name: Some("main".into()),
        crashed: false,
        start: Some("python.exe+0x1000".into()),
        frames: vec![frame.clone()],
        modules: vec!["ntdll.dll".into(), "python39.dll".into()],
        trust: Some(FrameTrust::Scanned),
    };
    let crashed =
        Thread { id: 7, name: None, crashed: true, start: None, frames: vec![frame], modules: Vec::new(), trust: None };
    vec![main, crashed]
}

/// A bugcheck of a machine.
pub(crate) fn bugcheck(id: &str, after: i64) -> Judged {
    let mut judged = undetermined(id, after);
    let incident = &mut judged.incident;
    incident.kind = IncidentKind::Bugcheck;
    incident.process = None;
    incident.bugcheck = Some(Bugcheck {
        code: BugcheckCode(0x116),
        name: Some("VIDEO_TDR_FAILURE".into()),
        live: false,
        parameters: vec![0xFFFF_C001, 0xFFFF_F801, 0, 4],
        meanings: vec![
            ParameterMeaning {
                number: 2,
                is: "address in the display driver",
                means: Some("nvlddmkm.sys+0x102f70".into()),
            },
            ParameterMeaning { number: 4, is: "internal data", means: None },
        ],
        status: Some(ExceptionCode(0xC000_009A)),
        bits_differ: None,
        machine_check: None,
    });
    incident.signature.coarse = "bugcheck|0x116".into();
    judged.findings = vec![finding("gpu/tdr", "gpu-timeout", 0.64)];
    judged.verdict = Verdict {
        cause: "gpu-timeout".into(),
        family: Some("gpu".into()),
        symptom: false,
        confidence: 0.64,
        sentence: "PC-7 stopped because the display driver did not answer in time.".into(),
        measured: None,
        collect_next: Vec::new(),
        gap_requests: Vec::new(),
        leads: Vec::new(),
    };
    judged
}

/// A machine whose disk repeats itself.
pub(crate) fn machine() -> Machine {
    Machine {
        host: "PC-7".into(),
        party: None,
        environment: BTreeMap::from([("gpu_driver", "546.33".into()), ("os", "Windows 10.0.19045".into())]),
        earlier: vec![EarlierValue { key: "gpu_driver", value: "536.23".into(), time: Some(second(-90)) }],
        timeline: vec![
            timeline_entry(-30, "storage-error", "A request to disk 0 was retried."),
            timeline_entry(-20, "storage-error", "A request to disk 0 was retried."),
            timeline_entry(-10, "driver-reset", "Display driver nvlddmkm was reset."),
        ],
        logs: Vec::new(),
        cleared: Vec::new(),
        coverage: vec!["The Application log begins 3 h before the first incident.".into()],
    }
}

/// A report that has everything that a report can have.
pub(crate) fn everything() -> Report {
    let artifacts = vec![
        artifact("dumps/a.dmp", ArtifactStatus::Ok, None),
        artifact("logs/Application.evtx", ArtifactStatus::Partial, Some("chunk 3: wrong checksum")),
        artifact("dumps/b.dmp", ArtifactStatus::Failed, Some("header: the file is empty")),
        artifact("notes.xyz", ArtifactStatus::Skipped, None),
    ];
    let mut report = report(artifacts, vec![crash("7f3a9c")]);
    report.incidents[0].incident.bugcheck = bugcheck("", 0).incident.bugcheck;
    report.incidents[0].incident.host_by_folder = true;
    let mut general = finding("loader/error-126", "missing-dependency", 0.7);
    general.superseded_by = Some("cudnn/zlibwapi-missing".into());
    report.incidents[0].findings.push(general);
    report.incidents[0].findings[0].entries =
        vec![NamedEntries { list: "modules", says: vec!["{name: cudnn64_8.dll}".into()], more: 1 }];
    report.incidents[0].findings[0].incidents = vec![NamedIncidents {
        relation: Relation::SamePlaceElsewhere,
        ids: vec!["41d0be".into(), "9c2277".into()],
        more: 3,
    }];
    let by = |until| SuppressedBy { by: "site".into(), reason: "The fix is ordered.".into(), until };
    report.incidents[0].findings[0].overridden_by = vec!["site".into()];
    report.incidents[0].findings[0].suppression_ended = Some(by(Some(date(2024, 10, 31))));
    report.incidents[0].suppressed = vec![Suppressed {
        rule: "interference/hook".into(),
        cause: "injected-module".into(),
        confidence: 0.42,
        title: "A hook is loaded in the program".into(),
        by: by(Some(date(2024, 12, 31))),
    }];
    report.summary.suppressed = 1;
    report.rule_sets.push(RuleSetInfo {
        name: "site".into(),
        version: "3".into(),
        rules: 2,
        overrides: 1,
        disables: 1,
        suppressions: 2,
        lists: 1,
    });
    report.incidents[0].incident.may_be_of = vec!["51d0".into()];
    report.incidents[0].verdict.measured = Some(Measured { cases: 6, right: 5, confirmed: 3 });
    report.incidents[0].verdict.leads = vec![lead()];
    let stack = &mut report.incidents[0].incident.stack;
    stack[1] = StackFrame {
        function: Some("cudnn::Handle::load".into()),
        file: Some("D:\\src\\handle.cpp".into()),
        line: Some(88),
        inline: vec![InlineFrame {
            function: "cudnn::check".into(),
            file: Some("D:\\src\\check.h".into()),
            line: Some(7),
        }],
        ..stack[1].clone()
    };
    report.incidents[0].incident.symbols_needed = vec![NeededFile {
        file: "python39.pdb".into(),
        kind: "pdb",
        id: "3A2B1C4D5E6F47089A0B1C2D3E4F50611".into(),
        path: "python39.pdb/3A2B1C4D5E6F47089A0B1C2D3E4F50611/python39.pdb".into(),
        module: "python39.dll".into(),
        shows: "function",
        reason: "names the function at python39.dll+0x4010".into(),
    }];
    report.incidents[0].threads = threads();
    report.incidents[0].sigma = vec![SigmaNearby {
        rule: sigma_rule(),
        time: second(-50),
        seconds: -50,
        matches: 2,
        artifact: 1,
        place: Place::Record(4700),
    }];
    report.machines = vec![machine()];
    let matched = TimelineEntry { sigma: Some(sigma_rule()), ..timeline_entry(-50, SIGMA, "A Sigma rule matches.") };
    report.machines[0].timeline.insert(0, matched);
    report.groups[0].over_represented = vec![overlay()];
    report.coverage = missing();
    let party = || Some(Arc::from("acme"));
    report.artifacts[1].party = party();
    report.incidents[0].party = party();
    report.machines[0].party = party();
    report.groups[0].party = party();
    report.coverage.gaps[0].party = party();
    report.coverage.collect_next[0].party = party();
    report
}

/// A likely cause among few similar cases.
pub(crate) fn lead() -> Lead {
    Lead {
        cause: "outdated-vc-runtime".into(),
        share: 0.21,
        cases: 3,
        few: true,
        test: "Read the version of msvcp140.dll.".into(),
        minutes: 5,
        means: "If it is old, replace it. If not, this cause is ruled out.".into(),
    }
}

/// A log that begins too late, and what to collect.
pub(crate) fn missing() -> Coverage {
    Coverage {
        gaps: vec![Gap {
            kind: "log-begins-after-incidents".into(),
            party: None,
            host: Some("PC-7".into()),
            log: Some("Application".into()),
            count: 1,
            of: Some(2),
            undetermined: 1,
            first: Some(second(-90)),
            last: Some(second(-60)),
            says: "the Application log of PC-7 begins late".into(),
        }],
        collect_next: vec![CollectRequest {
            id: "no-dump".into(),
            party: None,
            incidents: 2,
            undetermined: 1,
            short: "small dump of python.exe".into(),
            says: "The minidump from %LOCALAPPDATA%\\CrashDumps.".into(),
            replaces: BTreeSet::from(["The minidump from %LOCALAPPDATA%\\CrashDumps.".into()]),
        }],
    }
}

/// A rule of another language.
fn sigma_rule() -> Arc<SigmaRule> {
    Arc::new(SigmaRule {
        title: "A Tool That Injects".into(),
        id: Some("22222222-0000-4000-8000-000000000000".into()),
        level: Some("high"),
        tags: "attack.t1055; attack.defense-evasion".into(),
        file: "sigma/tool.yml".into(),
    })
}

/// Something that a group has more often than the rest.
pub(crate) fn overlay() -> OverRepresented {
    let counts = Counts { a: 41, n: 42, c: 40, m: 330 };
    let attribute = Attribute { kind: "module", value: "overlay.dll".into() };
    let found = OverRepresented::new(&attribute, Unit::Incidents, counts, 1.7e-28, false);
    OverRepresented { together_with: vec!["overlay.dll 1.2.3.4".into()], ..found }
}

/// A report in which a hostile text is wherever evidence can put one.
pub(crate) fn hostile(text: &str) -> Report {
    let mut judged = crash("h1");
    judged.incident.host = Some(text.into());
    let process = judged.incident.process.as_mut().expect("the crash has one");
    (process.name, process.path) = (Some(text.into()), Some(text.into()));
    let site = judged.incident.fault_site.as_mut().expect("the crash has one");
    site.module = text.into();
    judged.incident.suspect.as_mut().expect("the crash has one").module = text.into();
    judged.incident.signature.coarse = format!("crash|{text}");
    judged.incident.evidence.iter_mut().for_each(|item| item.sentence = text.into());
    judged.findings[0].title = text.into();
    judged.findings[0].explanation = text.into();
    judged.findings[0].remediation.iter_mut().for_each(|step| step.text = text.into());
    judged.verdict.sentence = text.into();
    judged.verdict.collect_next = vec![text.to_owned().into()];
    judged.party = Some(text.into());
    report(
        vec![artifact(text, ArtifactStatus::Partial, Some(text)), artifact(text, ArtifactStatus::Ok, None)],
        vec![judged],
    )
}
