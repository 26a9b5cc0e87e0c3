// Runs the program in a worker: WebAssembly with the system interface that it imports (WASI, preview 1). Its files are those
// that were given to the page; they are read where they are, block by block. Nothing can be written but the output and temporary
// files, which are in memory.
"use strict";

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSYS = 52, NOTDIR = 54, ROFS = 69;
const CREATE = 1, DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8;
const CHARACTERS = 2, FOLDER = 3, FILE = 4;
const ALL_RIGHTS = 0xffffffffffffffffn;
const ROOT_FD = 3;
// Blocks of a file that are kept, and their size in bytes: event logs are read in parts of 64 KiB.
const BLOCK = 1 << 18, BLOCKS = 4;

class Exit {
  constructor(code) { this.code = code; }
}

// The tree of folders (maps of names) and files (with their Blob) at some paths.
function treeOf(files) {
  const root = { folder: new Map() };
  for (const { path, blob } of files) {
    const names = path.split("/").filter((name) => name !== "" && name !== "." && name !== "..");
    let at = root;
    for (const name of names.slice(0, -1)) {
      if (!at.folder.has(name)) at.folder.set(name, { folder: new Map() });
      at = at.folder.get(name);
      if (!at.folder) break;
    }
    if (at.folder && names.length > 0) at.folder.set(names[names.length - 1], { blob, opened: false });
  }
  return root;
}

// A file's content, read in blocks.
class Content {
  constructor(blob) {
    this.blob = blob;
    this.size = blob.size;
    this.blocks = new Map();
    this.reader = new FileReaderSync();
  }

  block(number) {
    let block = this.blocks.get(number);
    if (block) this.blocks.delete(number);
    else block = new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(number * BLOCK, (number + 1) * BLOCK)));
    this.blocks.set(number, block);
    if (this.blocks.size > BLOCKS) this.blocks.delete(this.blocks.keys().next().value);
    return block;
  }

  // Reads from a place on into `target` until it is full or the file ends; returns how many bytes were read.
  readAt(place, target) {
    let done = 0;
    while (done < target.length && place < this.size) {
      const within = place % BLOCK;
      const most = Math.min(target.length - done, this.size - place);
      const part = this.block(Math.floor(place / BLOCK)).subarray(within, within + most);
      if (part.length === 0) break;
      target.set(part, done);
      done += part.length;
      place += part.length;
    }
    return done;
  }
}

// The content of a temporary file.
class Scratch extends Content {
  constructor() {
    super(new Blob());
  }

  block(number) {
    if (!this.blocks.has(number)) this.blocks.set(number, new Uint8Array(BLOCK));
    return this.blocks.get(number);
  }

  writeAt(place, source) {
    for (let done = 0; done < source.length; ) {
      const within = (place + done) % BLOCK;
      const part = source.subarray(done, done + BLOCK - within);
      this.block(Math.floor((place + done) / BLOCK)).set(part, within);
      done += part.length;
    }
    this.size = Math.max(this.size, place + source.length);
  }
}

// Runs the program once. `note` is called with the number of files that have been opened.
function run(module, { args, files, input }, note) {
  const root = treeOf(files);
  const out = [], err = [];
  const stdin = new Content(new Blob([input]));
  const open = new Map([
    [0, { kind: CHARACTERS, content: stdin, place: 0 }],
    [1, { kind: CHARACTERS, chunks: out }],
    [2, { kind: CHARACTERS, chunks: err }],
    [ROOT_FD, { kind: FOLDER, node: root }],
  ]);
  let nextFd = ROOT_FD + 1, opened = 0, memory = null;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const texts = args.map((text) => encoder.encode(`${text}\0`));
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
  const vectors = (at, count) => Array.from({ length: count }, (_, number) => {
    const data = view();
    return bytes(data.getUint32(at + 8 * number, true), data.getUint32(at + 8 * number + 4, true));
  });

  const namesAt = (at, length) => decoder.decode(bytes(at, length)).split("/").filter((name) => name !== "" && name !== ".");
  // The node at a path below a folder; nothing where there is none.
  const nodeAt = (folder, at, length) => {
    let node = folder;
    for (const name of namesAt(at, length)) {
      if (!node?.folder || name === "..") return undefined;
      node = node.folder.get(name);
    }
    return node;
  };
  const kindOf = (node) => (node.folder ? FOLDER : FILE);
  const putStat = (at, kind, size) => {
    bytes(at, 64).fill(0);
    const data = view();
    data.setUint8(at + 16, kind);
    data.setBigUint64(at + 24, 1n, true);
    data.setBigUint64(at + 32, BigInt(size), true);
    return OK;
  };
  const readInto = (entry, place, at, count, result) => {
    let total = 0;
    for (const target of vectors(at, count)) {
      const read = entry.content.readAt(place + total, target);
      total += read;
      if (read < target.length) break;
    }
    view().setUint32(result, total, true);
    return total;
  };
  const putTexts = (list, pointers, at) => {
    list.forEach((text, number) => {
      view().setUint32(pointers + 4 * number, at, true);
      bytes(at, text.length).set(text);
      at += text.length;
    });
    return OK;
  };
  const refuse = () => ROFS;

  const system = {
    args_sizes_get(count, size) {
      view().setUint32(count, texts.length, true);
      view().setUint32(size, texts.reduce((sum, text) => sum + text.length, 0), true);
      return OK;
    },
    args_get: (pointers, at) => putTexts(texts, pointers, at),
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return OK;
    },
    environ_get: () => OK,
    clock_res_get(_clock, at) {
      view().setBigUint64(at, 1000000n, true);
      return OK;
    },
    clock_time_get(clock, _precision, at) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return OK;
    },
    random_get(at, length) {
      for (let done = 0; done < length; done += 65536) crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
      return OK;
    },
    proc_exit(code) { throw new Exit(code); },
    sched_yield: () => OK,
    poll_oneoff: () => NOSYS,

    fd_prestat_get(fd, at) {
      if (fd !== ROOT_FD) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(fd, at) {
      if (fd !== ROOT_FD) return BADF;
      bytes(at, 1)[0] = 0x2f;
      return OK;
    },
    path_open(fd, _follow, at, length, flags, _rights, _inherited, _fdFlags, result) {
      const folder = open.get(fd)?.node;
      if (!folder) return BADF;
      let node = nodeAt(folder, at, length);
      const names = namesAt(at, length);
      if (flags & CREATE) {
        if (node) return flags & EXCLUSIVE ? EXIST : ROFS;
        if (folder !== root || names.length !== 1) return ROFS;
        node = { scratch: new Scratch() };
        root.folder.set(names[0], node);
      }
      if (!node) return NOENT;
      if (flags & TRUNCATE) return ROFS;
      if (flags & DIRECTORY && !node.folder) return NOTDIR;
      if (node.blob && !node.opened) {
        node.opened = true;
        opened += 1;
        note(opened);
      }
      const entry = { kind: kindOf(node), node, place: 0 };
      if (!node.folder) entry.content = node.scratch ?? new Content(node.blob);
      open.set(nextFd, entry);
      view().setUint32(result, nextFd, true);
      nextFd += 1;
      return OK;
    },
    path_unlink_file(fd, at, length) {
      const names = namesAt(at, length);
      const folder = open.get(fd)?.node;
      if (!folder) return BADF;
      if (folder !== root || names.length !== 1 || !root.folder.get(names[0])?.scratch) return ROFS;
      root.folder.delete(names[0]);
      return OK;
    },
    // There are no links: what is there is what it is.
    path_readlink(fd, at, length) {
      const folder = open.get(fd)?.node;
      if (!folder) return BADF;
      return nodeAt(folder, at, length) ? INVAL : NOENT;
    },
    fd_close: (fd) => (open.delete(fd) ? OK : BADF),
    fd_fdstat_get(fd, at) {
      const entry = open.get(fd);
      if (!entry) return BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, entry.kind);
      view().setBigUint64(at + 8, ALL_RIGHTS, true);
      view().setBigUint64(at + 16, ALL_RIGHTS, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get(fd, at) {
      const entry = open.get(fd);
      return entry ? putStat(at, entry.kind, entry.content?.size ?? 0) : BADF;
    },
    path_filestat_get(fd, _follow, path, length, at) {
      const folder = open.get(fd)?.node;
      if (!folder) return BADF;
      const node = nodeAt(folder, path, length);
      return node ? putStat(at, kindOf(node), node.blob?.size ?? 0) : NOENT;
    },
    fd_read(fd, at, count, result) {
      const entry = open.get(fd);
      if (!entry?.content) return entry?.kind === FOLDER ? ISDIR : BADF;
      entry.place += readInto(entry, entry.place, at, count, result);
      return OK;
    },
    fd_pread(fd, at, count, place, result) {
      const entry = open.get(fd);
      if (!entry?.content) return BADF;
      readInto(entry, Number(place), at, count, result);
      return OK;
    },
    fd_seek(fd, by, from, result) {
      const entry = open.get(fd);
      if (entry?.kind !== FILE) return BADF;
      const base = [0, entry.place, entry.content.size][from];
      const place = base + Number(by);
      if (!(place >= 0)) return INVAL;
      entry.place = place;
      view().setBigUint64(result, BigInt(place), true);
      return OK;
    },
    fd_tell(fd, result) {
      const entry = open.get(fd);
      if (entry?.kind !== FILE) return BADF;
      view().setBigUint64(result, BigInt(entry.place), true);
      return OK;
    },
    fd_readdir(fd, at, length, cookie, result) {
      const entry = open.get(fd);
      if (!entry?.node?.folder) return entry ? NOTDIR : BADF;
      const entries = (entry.entries ??= [...entry.node.folder]);
      let used = 0;
      for (let number = Number(cookie); number < entries.length && used < length; number += 1) {
        const [text, node] = entries[number];
        const name = encoder.encode(text);
        const head = new Uint8Array(24 + name.length);
        const data = new DataView(head.buffer);
        data.setBigUint64(0, BigInt(number + 1), true);
        data.setUint32(16, name.length, true);
        data.setUint8(20, kindOf(node));
        head.set(name, 24);
        // What does not fit is cut: then the caller asks again with more room.
        const part = head.subarray(0, length - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
      }
      view().setUint32(result, used, true);
      return OK;
    },
    fd_write(fd, at, count, result) {
      const entry = open.get(fd);
      if (!entry?.chunks && !entry?.node?.scratch) return entry ? ROFS : BADF;
      let total = 0;
      for (const part of vectors(at, count)) {
        if (entry.chunks) entry.chunks.push(part.slice());
        else entry.content.writeAt(entry.place + total, part);
        total += part.length;
      }
      if (entry.content) entry.place += total;
      view().setUint32(result, total, true);
      return OK;
    },
  };
  // Whatever else it imports writes or links, which nothing here can do.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1" && !(name in system)) system[name] = refuse;
  }

  // What a caught panic is thrown with: its one value is the panic's place in memory.
  const env = { __cpp_exception: new WebAssembly.Tag({ parameters: ["i32"] }) };
  const instance = new WebAssembly.Instance(module, { env, wasi_snapshot_preview1: system });
  memory = instance.exports.memory;
  let code = 0;
  try {
    instance.exports._start();
  } catch (ended) {
    if (!(ended instanceof Exit)) throw Object.assign(ended, { notes: decoder.decode(joined(err)) });
    code = ended.code;
  }
  return { code, out: joined(out), notes: decoder.decode(joined(err)) };
}

function joined(chunks) {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

let program = null;
onmessage = async ({ data }) => {
  try {
    if (data.program) {
      program = WebAssembly.compile(data.program);
      await program;
      postMessage({ ready: true });
      return;
    }
    let last = 0;
    const note = (opened) => {
      const now = performance.now();
      if (now - last < 100) return;
      last = now;
      postMessage({ id: data.id, opened });
    };
    const { code, out, notes } = run(await program, data, note);
    postMessage({ id: data.id, code, out, notes }, [out.buffer]);
  } catch (error) {
    postMessage({ id: data.id, error: `${error}${error.notes ? `\n${error.notes}` : ""}` });
  }
};
