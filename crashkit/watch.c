// Starts a program as its debugger and, when it crashes, writes a small and a full minidump of it, as an external crash reporter does.
//
//   watch.exe SMALL.dmp FULL.dmp PROGRAM.exe
//
// A crash is an exception that the program did not handle (the second notification of a debugger), an exhausted stack, or a call of
// `abort` or of the function behind `assert` in the C runtime. Those of Wine end the process without an exception, those of
// Windows by a fail-fast. Here a breakpoint stops the process at the first instruction of the function, and the dumps get the exception that Windows' runtime
// raises: 0xC0000409 with FAST_FAIL_FATAL_APP_EXIT (7).
//
// dbghelp's MiniDumpWriteDump writes the dumps. Wine's leaves out three streams that Windows' writes; they are added
// afterwards: unloaded modules (from the debugger's own events), thread information, and, in full dumps, memory information. The memory
// of full dumps is added here, too: Wine's reads it by the kilobyte.
//
// Exit code: 0 dumps written, 3 the program ended without a crash, 4 it took longer than a minute, 5 anything else.

#include <windows.h>
#include <winternl.h>
#include <dbghelp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 256, THREADS = 64, SECONDS = 60 };

struct module { ULONG64 base; DWORD size, checksum, timestamp; BOOL unloaded; WCHAR name[MAX_PATH]; };
struct thread { DWORD id; HANDLE handle; ULONG64 start; };

static struct module modules[MODULES];
static struct thread threads[THREADS];
static int module_count, thread_count;
static HANDLE process;
static DWORD process_id;

static struct { void *at; BYTE byte; } stops[8];
static int stop_count;

static void fail(const char *what) {
    printf("watch: %s (%lu)\n", what, GetLastError());
    if (process) TerminateProcess(process, 1);
    exit(5);
}

static BOOL peek(ULONG64 at, void *into, size_t size) {
    SIZE_T got = 0;
    return ReadProcessMemory(process, (void *)(ULONG_PTR)at, into, size, &got) && got == size;
}

static BOOL headers(ULONG64 base, IMAGE_NT_HEADERS *nt) {
    IMAGE_DOS_HEADER dos;
    return peek(base, &dos, sizeof dos) && dos.e_magic == IMAGE_DOS_SIGNATURE && peek(base + dos.e_lfanew, nt, sizeof *nt);
}

// Stops the process at those of the named functions that a module exports.
static void stop_at(ULONG64 address);
static void stop_at_exports(ULONG64 base, const IMAGE_NT_HEADERS *nt, const char *const *wanted, int count) {
    IMAGE_DATA_DIRECTORY at = nt->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    BYTE *all = malloc(at.Size);
    if (!all || at.Size < sizeof(IMAGE_EXPORT_DIRECTORY) || !peek(base + at.VirtualAddress, all, at.Size)) return;
    // The tables and names lie in the same part of the image, which was made by a linker and not by a file that anybody sent.
    BYTE *image = all - at.VirtualAddress;
    IMAGE_EXPORT_DIRECTORY *dir = (void *)all;
    DWORD *names = (void *)(image + dir->AddressOfNames), *functions = (void *)(image + dir->AddressOfFunctions);
    WORD *ordinals = (void *)(image + dir->AddressOfNameOrdinals);
    for (DWORD i = 0; i < dir->NumberOfNames; i++)
        for (int k = 0; k < count; k++)
            if (!strcmp((char *)image + names[i], wanted[k])) stop_at(base + functions[ordinals[i]]);
    free(all);
}

static void stop_at(ULONG64 address) {
    BYTE int3 = 0xCC;
    void *at = (void *)(ULONG_PTR)address;
    if (!address || stop_count == 8 || !peek(address, &stops[stop_count].byte, 1)) return;
    if (!WriteProcessMemory(process, at, &int3, 1, NULL)) return;
    FlushInstructionCache(process, at, 1);
    stops[stop_count++].at = at;
}

static void loaded(void *base, HANDLE file) {
    IMAGE_NT_HEADERS nt;
    struct module *m = &modules[module_count];
    if (module_count == MODULES || !headers((ULONG_PTR)base, &nt)) return;
    memset(m, 0, sizeof *m);
    m->base = (ULONG_PTR)base;
    m->size = nt.OptionalHeader.SizeOfImage;
    m->checksum = nt.OptionalHeader.CheckSum;
    m->timestamp = nt.FileHeader.TimeDateStamp;
    if (file) GetFinalPathNameByHandleW(file, m->name, MAX_PATH, 0);
    module_count++;
    WCHAR *leaf = wcsrchr(m->name, L'\\');
    if (leaf && (!_wcsicmp(leaf + 1, L"msvcrt.dll") || !_wcsicmp(leaf + 1, L"ucrtbase.dll"))) {
        static const char *const ends[] = { "abort", "_assert", "_wassert" };
        stop_at_exports(m->base, &nt, ends, 3);
    }
}

static void unloaded(void *base) {
    for (int i = 0; i < module_count; i++)
        if (modules[i].base == (ULONG_PTR)base) modules[i].unloaded = TRUE;
}

static void started(DWORD id, HANDLE handle, void *start) {
    if (thread_count < THREADS) threads[thread_count++] = (struct thread){ id, handle, (ULONG_PTR)start };
}

static HANDLE thread_of(DWORD id) {
    for (int i = 0; i < thread_count; i++)
        if (threads[i].id == id) return threads[i].handle;
    fail("unknown thread");
    return NULL;
}

// ---------------------------------------------------------------- streams that Wine does not write

static void put(FILE *f, const void *bytes, size_t size) { if (fwrite(bytes, 1, size, f) != size) fail("can't extend a dump"); }
static DWORD here(FILE *f) {
    static const char zeros[8];
    long at = ftell(f);
    if (at & 7) put(f, zeros, 8 - (at & 7));
    return ftell(f);
}

static MINIDUMP_DIRECTORY unloaded_stream(FILE *f) {
    ULONG32 count = 0;
    DWORD names[MODULES];
    for (int i = 0; i < module_count; i++) {
        if (!modules[i].unloaded) continue;
        WCHAR *leaf = wcsrchr(modules[i].name, L'\\');
        leaf = leaf ? leaf + 1 : modules[i].name;
        ULONG32 size = 2 * wcslen(leaf);
        names[i] = here(f);
        put(f, &size, 4);
        put(f, leaf, size + 2);
        count++;
    }
    DWORD at = here(f);
    MINIDUMP_UNLOADED_MODULE_LIST list = { sizeof list, sizeof(MINIDUMP_UNLOADED_MODULE), count };
    put(f, &list, sizeof list);
    for (int i = 0; i < module_count; i++) {
        if (!modules[i].unloaded) continue;
        MINIDUMP_UNLOADED_MODULE m = { modules[i].base, modules[i].size, modules[i].checksum, modules[i].timestamp, names[i] };
        put(f, &m, sizeof m);
    }
    return (MINIDUMP_DIRECTORY){ UnloadedModuleListStream, { ftell(f) - at, at } };
}

static MINIDUMP_DIRECTORY thread_stream(FILE *f) {
    DWORD at = here(f);
    MINIDUMP_THREAD_INFO_LIST list = { sizeof list, sizeof(MINIDUMP_THREAD_INFO), 0 };
    for (int i = 0; i < thread_count; i++) list.NumberOfEntries += WaitForSingleObject(threads[i].handle, 0) == WAIT_TIMEOUT;
    put(f, &list, sizeof list);
    for (int i = 0; i < thread_count; i++) {
        if (WaitForSingleObject(threads[i].handle, 0) != WAIT_TIMEOUT) continue;
        MINIDUMP_THREAD_INFO info = { .ThreadId = threads[i].id, .ExitStatus = STATUS_PENDING, .StartAddress = threads[i].start };
        FILETIME create, end, kernel, user;
        if (GetThreadTimes(threads[i].handle, &create, &end, &kernel, &user)) {
            info.CreateTime = create.dwLowDateTime | (ULONG64)create.dwHighDateTime << 32;
            info.KernelTime = kernel.dwLowDateTime | (ULONG64)kernel.dwHighDateTime << 32;
            info.UserTime = user.dwLowDateTime | (ULONG64)user.dwHighDateTime << 32;
        }
        put(f, &info, sizeof info);
    }
    return (MINIDUMP_DIRECTORY){ ThreadInfoListStream, { ftell(f) - at, at } };
}

static MINIDUMP_DIRECTORY memory_stream(FILE *f) {
    DWORD at = here(f);
    MINIDUMP_MEMORY_INFO_LIST list = { sizeof list, sizeof(MINIDUMP_MEMORY_INFO), 0 };
    put(f, &list, sizeof list);
    MEMORY_BASIC_INFORMATION m;
    for (BYTE *p = NULL; VirtualQueryEx(process, p, &m, sizeof m) == sizeof m; p = (BYTE *)m.BaseAddress + m.RegionSize) {
        MINIDUMP_MEMORY_INFO info = {
            (ULONG_PTR)m.BaseAddress, (ULONG_PTR)m.AllocationBase, m.AllocationProtect, 0, m.RegionSize, m.State, m.Protect, m.Type, 0,
        };
        put(f, &info, sizeof info);
        list.NumberOfEntries++;
        if ((BYTE *)m.BaseAddress + m.RegionSize <= p) break;
    }
    DWORD end = ftell(f);
    fseek(f, at, SEEK_SET);
    put(f, &list, sizeof list);
    fseek(f, end, SEEK_SET);
    return (MINIDUMP_DIRECTORY){ MemoryInfoListStream, { end - at, at } };
}

// The next region from `p` on whose bytes can be read.
static BOOL next_region(BYTE *p, MEMORY_BASIC_INFORMATION *m) {
    while (VirtualQueryEx(process, p, m, sizeof *m) == sizeof *m) {
        BYTE *end = (BYTE *)m->BaseAddress + m->RegionSize;
        if (m->State == MEM_COMMIT && !(m->Protect & (PAGE_GUARD | PAGE_NOACCESS))) return TRUE;
        if (end <= p) return FALSE;
        p = end;
    }
    return FALSE;
}

// The list of all memory. Its bytes follow the directory.
static MINIDUMP_DIRECTORY all_memory_stream(FILE *f) {
    DWORD at = here(f);
    MINIDUMP_MEMORY64_LIST list = { 0, 0 };
    MEMORY_BASIC_INFORMATION m = { 0 };
    put(f, &list, sizeof list - sizeof list.MemoryRanges);
    while (next_region((BYTE *)m.BaseAddress + m.RegionSize, &m)) {
        MINIDUMP_MEMORY_DESCRIPTOR64 d = { (ULONG_PTR)m.BaseAddress, m.RegionSize };
        put(f, &d, sizeof d);
        list.NumberOfMemoryRanges++;
    }
    DWORD end = ftell(f);
    fseek(f, at, SEEK_SET);
    put(f, &list.NumberOfMemoryRanges, 8);
    fseek(f, end, SEEK_SET);
    return (MINIDUMP_DIRECTORY){ Memory64ListStream, { end - at, at } };
}

static void all_memory(FILE *f, MINIDUMP_DIRECTORY list) {
    static BYTE part[1 << 20];
    ULONG64 first = ftell(f);
    MEMORY_BASIC_INFORMATION m = { 0 };
    fseek(f, list.Location.Rva + 8, SEEK_SET);
    put(f, &first, 8);
    fseek(f, first, SEEK_SET);
    while (next_region((BYTE *)m.BaseAddress + m.RegionSize, &m))
        for (SIZE_T at = 0; at < m.RegionSize; at += sizeof part) {
            SIZE_T size = m.RegionSize - at < sizeof part ? m.RegionSize - at : sizeof part, got;
            memset(part, 0, size);
            ReadProcessMemory(process, (BYTE *)m.BaseAddress + at, part, size, &got);
            put(f, part, size);
        }
}

// Writes the streams behind the dump, and a directory with them behind that.
static void extend(const char *path, BOOL full) {
    FILE *f = fopen(path, "r+b");
    static char buffer[1 << 18];
    if (f) setvbuf(f, buffer, _IOFBF, sizeof buffer);
    MINIDUMP_HEADER header;
    MINIDUMP_DIRECTORY all[64];
    if (!f || fread(&header, sizeof header, 1, f) != 1 || header.NumberOfStreams > 56) fail("no dump to extend");
    fseek(f, header.StreamDirectoryRva, SEEK_SET);
    if (fread(all, sizeof *all, header.NumberOfStreams, f) != header.NumberOfStreams) fail("no directory");
    DWORD count = 0;
    // Wine ends the directory with an unused entry, and has a stream of its own, 0xfff0, which no Windows writes.
    for (DWORD i = 0; i < header.NumberOfStreams; i++)
        if (all[i].StreamType != UnusedStream && all[i].StreamType < 0xfff0 && !(full && all[i].StreamType == MemoryListStream)) all[count++] = all[i];
    fseek(f, 0, SEEK_END);
    all[count++] = unloaded_stream(f);
    all[count++] = thread_stream(f);
    if (full) {
        header.Flags |= MiniDumpWithFullMemory | MiniDumpWithFullMemoryInfo;
        all[count++] = memory_stream(f);
        all[count++] = all_memory_stream(f);
    }
    header.StreamDirectoryRva = here(f);
    header.NumberOfStreams = count;
    put(f, all, count * sizeof *all);
    if (full) all_memory(f, all[count - 1]);
    fseek(f, 0, SEEK_SET);
    put(f, &header, sizeof header);
    fclose(f);
}

static void dump(const char *path, BOOL full, DWORD thread, EXCEPTION_POINTERS *pointers) {
    MINIDUMP_EXCEPTION_INFORMATION info = { thread, pointers, FALSE };
    HANDLE f = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    MINIDUMP_TYPE type = MiniDumpNormal | MiniDumpWithUnloadedModules | MiniDumpWithThreadInfo;
    if (f == INVALID_HANDLE_VALUE || !MiniDumpWriteDump(process, process_id, f, type, &info, NULL, NULL)) fail("no dump written");
    CloseHandle(f);
    extend(path, full);
}

// ---------------------------------------------------------------- the debugger

static void crashed(char **out, DWORD thread, EXCEPTION_RECORD *record, BOOL at_abort) {
    CONTEXT context = { .ContextFlags = CONTEXT_ALL };
    HANDLE handle = thread_of(thread);
    if (!GetThreadContext(handle, &context)) fail("no context");
    for (int i = 0; i < stop_count; i++) WriteProcessMemory(process, stops[i].at, &stops[i].byte, 1, NULL);
    if (at_abort) {
#ifdef _WIN64
        context.Rip = (ULONG_PTR)record->ExceptionAddress;
#else
        context.Eip = (ULONG_PTR)record->ExceptionAddress;
#endif
        SetThreadContext(handle, &context);
        record->ExceptionCode = 0xC0000409;
        record->ExceptionFlags = EXCEPTION_NONCONTINUABLE;
        record->NumberParameters = 1;
        record->ExceptionInformation[0] = 7;
    }
    EXCEPTION_POINTERS pointers = { record, &context };
    dump(out[0], FALSE, thread, &pointers);
    dump(out[1], TRUE, thread, &pointers);
    printf("%08lx at %p\n", record->ExceptionCode, record->ExceptionAddress);
    fflush(stdout);
    TerminateProcess(process, 1);
    exit(0);
}

static DWORD exception(char **out, DWORD thread, EXCEPTION_DEBUG_INFO *e) {
    static BOOL seen_loader;
    EXCEPTION_RECORD *record = &e->ExceptionRecord;
    // Wine has no room left to deliver the exception of an exhausted stack to the program.
    if (!e->dwFirstChance || record->ExceptionCode == EXCEPTION_STACK_OVERFLOW) crashed(out, thread, record, FALSE);
    if (record->ExceptionCode != EXCEPTION_BREAKPOINT) return DBG_EXCEPTION_NOT_HANDLED;
    for (int i = 0; i < stop_count; i++)
        if (stops[i].at == record->ExceptionAddress) crashed(out, thread, record, TRUE);
    // The first breakpoint is the loader's greeting to a debugger.
    if (seen_loader) return DBG_EXCEPTION_NOT_HANDLED;
    seen_loader = TRUE;
    return DBG_CONTINUE;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: watch SMALL FULL PROGRAM");
    STARTUPINFOA startup = { .cb = sizeof startup };
    PROCESS_INFORMATION info;
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    if (!CreateProcessA(argv[3], NULL, NULL, NULL, FALSE, DEBUG_ONLY_THIS_PROCESS, NULL, NULL, &startup, &info)) fail("can't start the program");
    process_id = info.dwProcessId;
    ULONGLONG end = GetTickCount64() + SECONDS * 1000;
    for (;;) {
        DEBUG_EVENT e;
        DWORD answer = DBG_CONTINUE;
        if (GetTickCount64() > end) { TerminateProcess(process, 1); puts("too slow"); return 4; }
        if (!WaitForDebugEvent(&e, 1000)) continue;
        switch (e.dwDebugEventCode) {
        case CREATE_PROCESS_DEBUG_EVENT:
            process = info.hProcess;
            started(e.dwThreadId, e.u.CreateProcessInfo.hThread, e.u.CreateProcessInfo.lpStartAddress);
            loaded(e.u.CreateProcessInfo.lpBaseOfImage, e.u.CreateProcessInfo.hFile);
            // Without this dbghelp reads the debug information of all modules.
            SymInitialize(process, NULL, FALSE);
            break;
        case CREATE_THREAD_DEBUG_EVENT: started(e.dwThreadId, e.u.CreateThread.hThread, e.u.CreateThread.lpStartAddress); break;
        case LOAD_DLL_DEBUG_EVENT: loaded(e.u.LoadDll.lpBaseOfDll, e.u.LoadDll.hFile); break;
        case UNLOAD_DLL_DEBUG_EVENT: unloaded(e.u.UnloadDll.lpBaseOfDll); break;
        case EXCEPTION_DEBUG_EVENT: answer = exception(argv + 1, e.dwThreadId, &e.u.Exception); break;
        case EXIT_PROCESS_DEBUG_EVENT: printf("ended with %lu, no crash\n", e.u.ExitProcess.dwExitCode); return 3;
        }
        ContinueDebugEvent(e.dwProcessId, e.dwThreadId, answer);
    }
}
