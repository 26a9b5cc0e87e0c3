//! Every fact with many entries.

use super::{
    ANY, Absent, COMPONENTS, DRIVES, DUMP, DUMP_OR_CONSOLE, DUMP_WITH_HANDLES, DUMP_WITH_THREAD_INFO, FRAME_TRUSTS,
    FUNCTIONS, FactType, INCIDENT_KINDS, INVENTORY, KERNEL_DUMP, LOCATIONS, ListDefinition, MACHINE_CHECKS,
    MEMORY_HOLDERS, MODULE_LIST, NAMED_PARTS, OTHER_INCIDENTS, PATTERNS, SIGMA_LEVELS, SIGMA_RULES, STACK, SYSTEM_LOG,
    TEXT, TIMELINE_KINDS, fact, if_so, where_absent,
};
use incident::environment::{FRAMEWORKS, INSTALLATIONS};

/// Facts with many entries, sorted by name.
pub const LISTS: &[ListDefinition] = &[
    ListDefinition {
        name: "annotations",
        about: "keys and values that the program or its crash handler (Crashpad, Breakpad, Unreal Engine) wrote into the \
                dump; known when there are any",
        from: DUMP,
        fields: &[fact("key", FactType::Text, ANY, "the key"), fact("value", FactType::Text, ANY, "the value")],
    },
    ListDefinition {
        name: "cpp_types",
        about: "the types that would catch a C++ exception, the thrown one first; known when the dump holds them; of a text \
                only the thrown one",
        from: DUMP_OR_CONSOLE,
        fields: &[fact("name", FactType::Text, ANY, "the type's name")],
    },
    ListDefinition {
        name: "cuda_libraries",
        about: "the loaded libraries of the CUDA toolkit and of cuDNN, in load order; known when a dump or Report.wer lists \
                the modules",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Module, ANY, "file name"),
            fact("installation", FactType::Word(INSTALLATIONS), ANY, "how it was installed, as its path tells"),
            fact("path", FactType::Path, ANY, "path"),
        ],
    },
    ListDefinition {
        name: "drivers",
        about: "the drivers that the kernel had loaded, in load order; known when a kernel dump lists them without gaps",
        from: KERNEL_DUMP,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the kernel"),
            fact("name", FactType::Module, ANY, "file name"),
            fact("path", FactType::Path, ANY, "path as the kernel writes it"),
            fact("size", FactType::Number, ANY, "length of the image, bytes"),
            fact("timestamp", FactType::Number, ANY, "the image's own timestamp; a date or a hash"),
            fact(
                "built",
                FactType::Text,
                ANY,
                "that timestamp as a date (2020-12-31), where it can be one: not before 2000 and not after the dump",
            ),
            fact("built_year", FactType::Number, ANY, "the year of that date"),
        ],
    },
    ListDefinition {
        name: "duplicates",
        about: "DLLs that are loaded from several folders, not all of them Windows' own; known when a dump or Report.wer \
                lists the modules with paths",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Module, ANY, "file name"),
            fact("copies", FactType::Number, ANY, "how many"),
            fact("first_path", FactType::Path, ANY, "path of the one that was loaded first, which others get by name"),
            fact("first_version", FactType::Version, DUMP, "its file version"),
            fact("first_location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
            fact("second_path", FactType::Path, ANY, "path of the one that was loaded next"),
            fact("second_version", FactType::Version, DUMP, "its file version"),
            fact("second_location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
        ],
    },
    ListDefinition {
        name: "events",
        about: "the event-log records that belong to the incident; always known",
        from: "event logs, or records of them that a text holds",
        fields: &[
            if_so(fact("provider", FactType::Text, ANY, "provider")),
            if_so(fact("id", FactType::Number, ANY, "event id")),
            if_so(fact("text", FactType::Text, ANY, "the record's values, joined with `; `")),
        ],
    },
    ListDefinition {
        name: "frames",
        about: "the stack of the thread that crashed or stopped the system, innermost first; known when a stack was walked",
        from: STACK,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the innermost"),
            if_so(fact("module", FactType::Module, ANY, "module of the frame")),
            where_absent(Absent::UnknownWith("module"), fact("version", FactType::Version, ANY, "its file version")),
            if_so(fact("offset", FactType::Address, ANY, "where in that module")),
            where_absent(
                Absent::UnknownWith("module"),
                fact("function", FactType::Text, FUNCTIONS, "its function, by the image's exports or by symbols"),
            ),
            fact("trust", FactType::Word(FRAME_TRUSTS), ANY, "how the frame was found"),
        ],
    },
    ListDefinition {
        name: "frameworks",
        about: "machine-learning frameworks that are loaded; known when a dump or Report.wer lists the modules",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Word(FRAMEWORKS), ANY, "which"),
            fact("version", FactType::Version, ANY, "its release, where a file tells it"),
            fact("installation", FactType::Word(INSTALLATIONS), ANY, "how it was installed, as its path tells"),
            fact("path", FactType::Path, ANY, "path of the module that shows it"),
        ],
    },
    ListDefinition {
        name: "handles",
        about: "the handles that the process had open, by type; known when the dump holds handle data",
        from: DUMP_WITH_HANDLES,
        fields: &[
            fact("type", FactType::Text, ANY, "the type (File, Event, Thread, Key...)"),
            fact("count", FactType::Number, ANY, "how many"),
        ],
    },
    ListDefinition {
        name: "hresults",
        about: "HRESULTs of failures in pasted text (`0x887A0005`); known when there is any text",
        from: TEXT,
        fields: &[
            fact("code", FactType::Code, ANY, "the HRESULT"),
            if_so(fact("mentioned", FactType::Flag, ANY, "that only a denial, advice or a list of codes names it")),
            if_so(fact(
                "unreported",
                FactType::Flag,
                ANY,
                "that only a quotation names it of which nobody says that it appeared",
            )),
        ],
    },
    ListDefinition {
        name: "incidents_before",
        about: "the incidents on the same machine within the 24 hours before, of each kind the last 16, whatever evidence \
                tells of them; known when machine and time are",
        from: PATTERNS,
        fields: &[
            fact("kind", FactType::Word(INCIDENT_KINDS), ANY, "its kind"),
            where_absent(
                Absent::UnknownOf("kind", &["crash", "hang", "start-failure", "exit"]),
                fact("process", FactType::Module, ANY, "its program"),
            ),
            fact("seconds_before", FactType::Duration, ANY, "how long before"),
        ],
    },
    ListDefinition {
        name: "modules",
        about: "the modules loaded in the process, in load order; known when a dump or Report.wer lists them",
        from: "a minidump or Report.wer",
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the executable"),
            fact("name", FactType::Module, ANY, "file name"),
            fact("path", FactType::Path, ANY, "path"),
            fact("version", FactType::Version, DUMP, "file version"),
            fact("location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
        ],
    },
    ListDefinition {
        name: OTHER_INCIDENTS,
        about: "the other incidents of the run that share machine, place, signature, suspect or program with this one, the \
                nearest in time: of each of these 32 on the same machine, and 32 elsewhere, 4 of another machine at most; \
                that there is no other is known of what this one tells (same_host: true where its machine is known); known \
                unless it may be one of several",
        from: PATTERNS,
        fields: &[
            fact("kind", FactType::Word(INCIDENT_KINDS), ANY, "its kind"),
            fact("code", FactType::Code, ANY, "the code of its exception or stop"),
            fact("module", FactType::Module, ANY, "the module at the fault"),
            fact("suspect", FactType::Module, ANY, "the module that its evidence points to"),
            where_absent(
                Absent::UnknownOf("kind", &["crash", "hang", "start-failure", "exit"]),
                fact("program", FactType::Module, ANY, "its program"),
            ),
            fact("host", FactType::Text, ANY, "its computer"),
            fact("os_build", FactType::Number, ANY, "the build of Windows there"),
            fact("day", FactType::Text, ANY, "the day on which it was, in UTC (2026-05-20)"),
            where_absent(
                Absent::UnknownUnless("seconds_after"),
                fact("seconds_before", FactType::Duration, ANY, "how long before this one; absent when after it"),
            ),
            where_absent(
                Absent::UnknownUnless("seconds_before"),
                fact("seconds_after", FactType::Duration, ANY, "how long after this one; absent when not after it"),
            ),
            fact("seconds_away", FactType::Duration, ANY, "how long before or after this one"),
            fact("same_code", FactType::Flag, ANY, "whether the code is the same"),
            fact("same_host", FactType::Flag, ANY, "whether the computer is the same"),
            fact("same_module", FactType::Flag, ANY, "whether the module at the fault is the same"),
            fact("same_program", FactType::Flag, ANY, "whether the program is the same"),
            fact("same_signature", FactType::Flag, ANY, "whether the coarse signature is the same"),
            fact(
                "same_site",
                FactType::Flag,
                ANY,
                "whether code, module, its version and the offset in it are the same; not known of modules that deliver \
                 exceptions for others",
            ),
            fact("same_suspect", FactType::Flag, ANY, "whether the suspect is the same"),
        ],
    },
    ListDefinition {
        name: "packages",
        about: "installed packages of Python or conda; known when a text lists them",
        from: INVENTORY,
        fields: &[
            fact("name", FactType::Text, ANY, "the package"),
            fact("version", FactType::Text, ANY, "its version as written (`2.1.0+cu118`)"),
        ],
    },
    ListDefinition {
        name: "python_frames",
        about: "Python's stack at the crash, innermost first; known when a text has a traceback",
        from: TEXT,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the innermost"),
            fact("file", FactType::Path, ANY, "source file"),
            fact("line", FactType::Number, ANY, "line in it"),
            fact("function", FactType::Text, ANY, "function"),
            if_so(fact("package", FactType::Text, ANY, "the folder of site-packages that the file lies in")),
        ],
    },
    ListDefinition {
        name: "stowed_exceptions",
        about: "the errors inside a stowed exception (0xC000027B); known when the dump holds them",
        from: DUMP,
        fields: &[
            fact("code", FactType::Code, ANY, "its HRESULT"),
            fact("module", FactType::Module, ANY, "the module that met it"),
            fact("text", FactType::Text, ANY, "its text"),
        ],
    },
    ListDefinition {
        name: "text",
        about: "lines of pasted text and comments; known when there is any",
        from: TEXT,
        fields: &[
            fact("line", FactType::Text, ANY, "the line"),
            if_so(fact(
                "certain",
                FactType::Text,
                ANY,
                "what of the line is neither denied nor advice nor a list of codes; absent where that is all of it",
            )),
            if_so(fact(
                "reported",
                FactType::Text,
                ANY,
                "what of the line stands outside of quotations of which nobody says that they appeared; absent where that \
                 is all of it",
            )),
        ],
    },
    ListDefinition {
        name: "threads",
        about: "the threads of the process; known when a minidump lists them without gaps, and no more than 4096",
        from: DUMP,
        fields: &[
            fact(
                "position",
                FactType::Number,
                ANY,
                "0 is the first that the dump lists, mostly the one that the process began with",
            ),
            fact("id", FactType::Number, ANY, "its number"),
            if_so(fact("is_crashing", FactType::Flag, ANY, "whether it is the one that raised the exception")),
            where_absent(
                Absent::UnknownUnless("nameless"),
                fact("name", FactType::Text, ANY, "the name that the program gave it"),
            ),
            if_so(fact(
                "nameless",
                FactType::Flag,
                ANY,
                "that it has no name, where the dump holds the names of threads",
            )),
            where_absent(
                Absent::UnknownUnless("start_outside"),
                fact("start_module", FactType::Module, DUMP_WITH_THREAD_INFO, "the module in which it started"),
            ),
            if_so(fact(
                "start_outside",
                FactType::Flag,
                DUMP_WITH_THREAD_INFO,
                "that it started in none of the loaded modules",
            )),
            where_absent(
                Absent::UnknownUnless("top_outside"),
                fact(
                    "top_module",
                    FactType::Module,
                    ANY,
                    "the module whose code it was in; with --no-stack-walk known of the crashing thread alone, else of the \
                     first 64, too",
                ),
            ),
            if_so(fact("top_outside", FactType::Flag, ANY, "that this was code of none of the loaded modules")),
            where_absent(
                Absent::UnknownWith("top_module"),
                fact("top_function", FactType::Text, FUNCTIONS, "its function, by the image's exports or by symbols"),
            ),
            fact(
                "modules",
                FactType::Text,
                ANY,
                "the modules of its innermost 16 frames, each once, the innermost first, joined with `; `, where its stack was \
                 walked; of threads that did not crash that is done for 64-bit Windows, and for the first 64",
            ),
            fact("trust", FactType::Word(FRAME_TRUSTS), ANY, "how the least sure of these frames was found"),
        ],
    },
    ListDefinition {
        name: "timeline",
        about: "what the machine's logs recorded from 24 hours before to 10 minutes after the incident, and of what was \
                installed or blocked from 7 days before, the incident's own records left out; that something was not \
                recorded is known as far as the log covers the time that would hold it",
        from: SYSTEM_LOG,
        fields: &[
            if_so(fact("kind", FactType::Word(TIMELINE_KINDS), ANY, "what kind of thing")),
            if_so(fact("provider", FactType::Text, ANY, "provider")),
            if_so(fact("id", FactType::Number, ANY, "event id")),
            if_so(fact(
                "seconds_before",
                FactType::Duration,
                ANY,
                "how long before the incident; absent when after it",
            )),
            if_so(fact("seconds_after", FactType::Duration, ANY, "how long after the incident; absent when before it")),
            if_so(fact("text", FactType::Text, ANY, "the record's values, joined with `; `")),
            where_absent(
                Absent::UnknownOf("kind", &["storage-error"]),
                fact("status", FactType::Code, ANY, "how a request to a drive or file ended, where the record says it"),
            ),
            if_so(fact(
                "names",
                FactType::Word(NAMED_PARTS),
                ANY,
                "what of the incident the record is about: that the program itself was refused, taken away or stopped \
                 (program, by its whole path), a module that it lacked (by name) or died in (by path), another file that \
                 it wanted, a program of which it is the parent; or that it only mentions one of their names",
            )),
            where_absent(
                Absent::UnknownOf("kind", &["storage-error", "drive-health", "file-system-error"]),
                fact(
                    "drive",
                    FactType::Word(DRIVES),
                    ANY,
                    "whether a record of a drive or file system is about the one that the incident depends on: the program's \
                 own, for stops the one that Windows starts from; absent where the record does not tell",
                ),
            ),
            if_so(fact(
                "component",
                FactType::Word(COMPONENTS),
                ANY,
                "which part of the machine a hardware error is of",
            )),
            where_absent(
                Absent::UnknownOf("component", &["processor"]),
                fact(
                    "machine_check",
                    FactType::Word(MACHINE_CHECKS),
                    ANY,
                    "what kind of error a processor's machine check reported",
                ),
            ),
            where_absent(
                Absent::UnknownUnless("seconds_after_first"),
                fact(
                    "seconds_before_first",
                    FactType::Duration,
                    ANY,
                    "how long before the first incident with the same signature on this machine something was installed; \
                 absent where earlier ones may have gone unrecorded",
                ),
            ),
            if_so(fact(
                "seconds_after_first",
                FactType::Duration,
                ANY,
                "how long after the first such incident, of what was installed since then",
            )),
            where_absent(
                Absent::UnknownOf("kind", &["memory-exhausted"]),
                fact(
                    "held_by",
                    FactType::Word(MEMORY_HOLDERS),
                    ANY,
                    "who held more than half of the memory when it ran out: the kernel's pools, one program, all programs \
                 together, or something else (drivers, shared memory, the GPU)",
                ),
            ),
            if_so(fact(
                "incident",
                FactType::Number,
                ANY,
                "of a record of another incident: its number among those around; records with one number tell of one \
                 incident, and count once",
            )),
            if_so(fact(
                "sigma_id",
                FactType::Text,
                SIGMA_RULES,
                "of a record that a Sigma rule matches (sigma): the rule's id",
            )),
            if_so(fact("sigma_title", FactType::Text, SIGMA_RULES, "its title")),
            if_so(fact("sigma_level", FactType::Word(SIGMA_LEVELS), SIGMA_RULES, "its level")),
            if_so(fact("sigma_tags", FactType::Text, SIGMA_RULES, "its tags, joined with `; `")),
        ],
    },
    ListDefinition {
        name: "unloaded_drivers",
        about: "drivers unloaded before the stop; known when a kernel dump lists them",
        from: KERNEL_DUMP,
        fields: &[fact("name", FactType::Module, ANY, "file name, of which the kernel keeps 12 characters")],
    },
    ListDefinition {
        name: "unloaded_modules",
        about: "modules unloaded before the crash; known when the dump lists them",
        from: DUMP,
        fields: &[fact("name", FactType::Module, ANY, "file name")],
    },
    ListDefinition {
        name: "win_errors",
        about: "Win32 error numbers in pasted text (`[WinError 126]`); known when there is any text",
        from: TEXT,
        fields: &[
            fact("number", FactType::Number, ANY, "the number"),
            if_so(fact("mentioned", FactType::Flag, ANY, "that only a denial, advice or a list of codes names it")),
            if_so(fact(
                "unreported",
                FactType::Flag,
                ANY,
                "that only a quotation names it of which nobody says that it appeared",
            )),
        ],
    },
];
