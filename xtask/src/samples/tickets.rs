//! Pasted texts, one for each kind of text.

use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::Layout;

use crate::sample::{File, Incident, Sample};
use crate::scene::{Fault, Scene, Windows, windows_program};

/// A text as a Windows program saves it.
fn text(name: &'static str, lines: &str) -> File {
    File::whole(name, "ticket", lines.replace('\n', "\r\n").into_bytes())
}

const ITALIAN: &str = "\
Buongiorno, il programma si chiude da solo dopo l'avvio. Dal visualizzatore eventi:

Nome dell'applicazione che ha generato l'errore: fattura.exe, versione: 4.2.0.11, timestamp: 0x6401a2b3
Nome del modulo che ha generato l'errore: stampa64.dll, versione: 2.0.7.0, timestamp: 0x63ff0102
Codice eccezione: 0xc0000005
Offset errore: 0x00000000000a41f8
ID processo che ha generato l'errore: 0x0x1A3C
Ora di avvio dell'applicazione che ha generato l'errore: 0x0x1DA9F0C11223340
Percorso dell'applicazione che ha generato l'errore: C:\\Program Files\\Fattura\\fattura.exe
Percorso del modulo che ha generato l'errore: C:\\Program Files\\Fattura\\stampa64.dll
ID segnalazione: 7d1f0a34-5b26-4c0e-9a3d-20c4d5e6f708

Cosa devo fare?
";

pub fn italian_event() -> Sample {
    Sample {
        name: "ticket-italian-event",
        shows: "A mail in Italian with the text of event 1000 as Windows 11 writes it, `0x` twice before process id and \
                start. Labels are translated, values are not.",
        made: "Plain text, CR LF; fattura.exe, 0xC0000005 in stampa64.dll.",
        files: vec![text("mail.txt", ITALIAN)],
        incidents: vec![
            Incident::crash("fattura.exe", "0xC0000005", &["mail.txt"])
                .at("stampa64.dll")
                .suspect(&["stampa64.dll"])
                .because(&["undetermined", "application-defect"], 0.0, 0.6),
        ],
    }
}

const XML: &str = "\
Here is what the details tab shows, I hope it helps:

- <Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\">
- <System>
  <Provider Name=\"Application Error\" Guid=\"{a0e9b465-b939-57d7-b27d-95d8e925ff57}\" />
  <EventID>1000</EventID>
  <TimeCreated SystemTime=\"2024-04-17T08:21:44.5310000Z\" />
  <EventRecordID>20511</EventRecordID>
  <Channel>Application</Channel>
  <Computer>PC-11</Computer>
  </System>
- <EventData>
  <Data Name=\"AppName\">viewer.exe</Data>
  <Data Name=\"AppVersion\">9.1.0.2</Data>
  <Data Name=\"AppTimeStamp\">65e01020</Data>
  <Data Name=\"ModuleName\">decode&amp;draw.dll</Data>
  <Data Name=\"ModuleVersion\">9.1.0.0</Data>
  <Data Name=\"ModuleTimeStamp\">65e01021</Data>
  <Data Name=\"ExceptionCode\">c0000094</Data>
  <Data Name=\"FaultingOffset\">000000000001c0de</Data>
  <Data Name=\"ProcessId\">0x2b08</Data>
";

pub fn event_as_xml() -> Sample {
    Sample {
        name: "ticket-event-xml",
        shows: "An event's XML, copied with the viewer's markers and cut before its end, after a sentence. It gives \
                the values of the event up to that point.",
        made: "Plain text, CR LF; viewer.exe, 0xC0000094 in decode&draw.dll on PC-11.",
        files: vec![File { status: crate::sample::OneOf(vec!["partial"]), ..text("details.txt", XML) }],
        incidents: vec![
            Incident::crash("viewer.exe", "0xC0000094", &["details.txt"])
                .at("decode&draw.dll")
                .suspect(&["decode&draw.dll"])
                .because(&["undetermined", "application-defect"], 0.0, 0.95),
        ],
    }
}

const ANALYSIS: &str = "\
EXCEPTION_RECORD:  (.exr -1)
ExceptionAddress: 00007ffa2c11286e (ucrtbase!abort+0x000000000000004e)
   ExceptionCode: c0000409 (Security check failure or stack buffer overrun)
  ExceptionFlags: 00000001
NumberParameters: 1
   Parameter[0]: 0000000000000007
Subcode: 0x7 FAST_FAIL_FATAL_APP_EXIT

PROCESS_NAME:  modeller.exe

ERROR_CODE: (NTSTATUS) 0xc0000409 - the system detected an overrun of a stack-based buffer.

EXCEPTION_CODE_STR:  c0000409

EXCEPTION_PARAMETER1:  0000000000000007

STACK_TEXT:
000000c1`0a7fe2b0 00007ffa`2c1117a5     : 00000000`00000003 00000000`00000000 : ucrtbase!abort+0x4e
000000c1`0a7fe2e0 00007ff9`e0453d11     : 00000000`00000000 00000000`00000000 : ucrtbase!terminate+0x29
000000c1`0a7fe310 00007ff9`b1c2a0f4     : 000001d4`00000000 00000000`00000000 : vcruntime140_1!__FrameUnwindFilter+0x71
000000c1`0a7fe340 00007ff6`40011e0c     : 00000000`00000000 00000000`00000000 : meshkit!mesh::Reader::open+0x164
000000c1`0a7fe3c0 00000000`00000000     : 00000000`00000000 00000000`00000000 : modeller!main+0x8c

SYMBOL_NAME:  meshkit!mesh::Reader::open+164

MODULE_NAME: meshkit

IMAGE_NAME:  meshkit.dll

FAILURE_BUCKET_ID:  FAIL_FAST_FATAL_APP_EXIT_c0000409_meshkit.dll!mesh::Reader::open
";

pub fn debuggers_analysis() -> Sample {
    Sample {
        name: "ticket-debugger-analysis",
        shows: "A debugger's analysis of an abort: the exception was raised in the C runtime, the analysis blames \
                another module, and the report distinguishes the two.",
        made: "Plain text, CR LF; modeller.exe, fast-fail 7 in ucrtbase.dll, called from meshkit.dll.",
        files: vec![text("analyze -v.log", ANALYSIS)],
        incidents: vec![
            Incident::crash("modeller.exe", "0xC0000409", &["analyze -v.log"])
                .at("ucrtbase.dll")
                .fast_fail(7)
                .suspect(&["meshkit.dll"])
                .because(
                    &["undetermined", "application-defect", "abort-after-fatal-error", "unhandled-cpp-exception"],
                    0.0,
                    0.9,
                ),
        ],
    }
}

const BLUE_SCREEN: &str = "\
Der Rechner ist wieder mit blauem Bildschirm neu gestartet, diesmal beim Aufwachen.

Stillstandcode: VIDEO_TDR_FAILURE
Fehlerursache: nvlddmkm.sys
";

pub fn stop_by_name() -> Sample {
    Sample {
        name: "ticket-stop-by-name",
        shows: "What a user copied from the blue screen: the stop's name and the driver, no number anywhere.",
        made: "Plain text, CR LF.",
        files: vec![text("Foto abgetippt.txt", BLUE_SCREEN)],
        incidents: vec![
            Incident::new("bugcheck", &["Foto abgetippt.txt"])
                .bugcheck("0x00000116")
                .at("nvlddmkm.sys")
                .suspect_or_none("nvlddmkm.sys")
                .because(&["gpu-timeout", "gpu-driver-defect", "gpu-hardware-fault", "undetermined"], 0.0, 0.9),
        ],
    }
}

const CONSOLE: &str = "\
(seg) C:\\Users\\user\\seg>python train.py
Windows fatal exception: access violation

Thread 0x00003a10 (most recent call first):
  File \"C:\\Users\\user\\seg\\feed.py\", line 41 in wait

Current thread 0x00002c54 (most recent call first):
  File \"C:\\Users\\user\\miniconda3\\envs\\seg\\lib\\site-packages\\rasterbox\\io.py\", line 212 in read_block
  File \"C:\\Users\\user\\seg\\train.py\", line 88 in <module>

Process finished with exit code -1073741819 (0xC0000005)
";
const SMI: &str = "\
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 537.13                 Driver Version: 537.13       CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
|   0  NVIDIA GeForce RTX 3060      WDDM  | 00000000:01:00.0  On |                  N/A |
+-----------------------------------------+----------------------+----------------------+
";
const PACKAGES: &str = "\
Package    Version
---------- ------------
numpy      1.26.4
rasterbox  0.9.3
torch      2.1.0+cu118
";

pub fn console_and_inventory() -> Sample {
    Sample {
        name: "ticket-console-and-inventory",
        shows: "What a console printed when Python died, with Python's own stack; in the same folder, lists of \
                installed software. The lists contain no crash; they describe the machine of the crash in the \
                console.",
        made: "Three texts, CR LF: the fault handler's output with the exit code, nvidia-smi, pip list.",
        files: vec![text("console.txt", CONSOLE), text("nvidia-smi.txt", SMI), text("pip list.txt", PACKAGES)],
        incidents: vec![
            Incident {
                exception: Some("0xC0000005"),
                ..Incident::new("crash", &["console.txt", "nvidia-smi.txt", "pip list.txt"])
            }
            .because(&["undetermined", "application-defect"], 0.0, 0.6),
        ],
    }
}

pub fn mail_beside_the_log() -> Sample {
    let program = r"C:\Program Files\Orrin\Planner\planner.exe";
    let images = windows_program(program, [7, 1, 3, 0], Windows::Ten);
    let scene = Scene::new(images, Windows::Ten, 4120, FileTime::utc(2024, 10, 1, 7, 30, 0), 240);
    let fault = Fault {
        code: 0xC000_0005,
        flags: 0,
        at: ("planner.exe", 0x2_0C44),
        parameters: vec![],
        instruction: vec![],
        callers: vec![],
    };
    let mut log = EventLog::new("Application", "PC-12");
    log.add(scene.crash(&fault, "mail-beside-the-log").application_error(Layout::Positional));
    let mail = "Hello,\nthe planner is gone again since this morning. It said\n\
                Faulting application planner.exe, version 7.1.3.0, faulting module planner.exe, version 7.1.3.0\n\
                and below that exception code 0xc0000005. Can you look?\n";
    Sample {
        name: "ticket-beside-the-log",
        shows: "A user's mail and the log of the machine: the mail names the same program, module and code as the only \
                crash in the log, so both are one incident.",
        made: "Application.evtx of PC-12 with Application Error 1000, and a text.",
        files: vec![File::event_log("Application.evtx", &log), text("mail.txt", mail)],
        incidents: vec![
            Incident::crash("planner.exe", "0xC0000005", &["Application.evtx", "mail.txt"])
                .at("planner.exe")
                .suspect(&["planner.exe"])
                .because(&["undetermined", "application-defect"], 0.0, 0.6),
        ],
    }
}
