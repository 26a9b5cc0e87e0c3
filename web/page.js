// The page around the program: takes files, runs the program on them in its worker, and shows the report.
"use strict";

const MIME = { html: "text/html", json: "application/json", csv: "text/csv", markdown: "text/markdown", text: "text/plain" };
const ENDING = { html: "html", json: "json", csv: "csv", markdown: "md", text: "txt" };
const $ = (id) => document.getElementById(id);

let worker = null;
let lastId = 0;
const waiting = new Map();
let given = null;
let shown = null;

// The program's bytes, which are in the page as compressed text.
async function bytesOfProgram() {
  const packed = Uint8Array.from(atob($("program").textContent.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
}

// A worker with the program, ready to run.
async function start() {
  const source = new Blob([$("worker").textContent], { type: "text/javascript" });
  const made = new Worker(URL.createObjectURL(source));
  const ready = new Promise((resolve, reject) => {
    made.onmessage = ({ data }) => {
      if (data.ready) return resolve();
      const run = waiting.get(data.id);
      if (!run) return reject(new Error(data.error));
      if ("opened" in data) return run.progress(data.opened);
      waiting.delete(data.id);
      if ("error" in data) run.reject(new Error(data.error));
      else run.resolve(data);
    };
    made.onerror = (event) => reject(new Error(event.message));
  });
  const program = await bytesOfProgram();
  made.postMessage({ program }, [program]);
  await ready;
  return made;
}

// Runs the program with arguments; resolves to its exit code, output and notes.
async function run(args, files = [], input = "", progress = () => {}) {
  const mine = (worker ??= start());
  const made = await mine;
  if (worker !== mine) throw new Error("stopped");
  const id = (lastId += 1);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, progress });
    made.postMessage({ id, args: ["crashsift", ...args], files, input });
  });
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").className = bad ? "bad" : "";
}

const argumentsFor = (format) => {
  const names = [...new Set(given.files.map(({ path }) => path.split("/")[0]))].sort();
  const pasted = given.input === "" ? [] : ["--ticket", "-"];
  return ["analyze", "--quiet", "--format", format, ...pasted, "--", ...names];
};

// Ends what runs.
function stop() {
  worker?.then((made) => made.terminate(), () => {});
  worker = null;
  for (const run of waiting.values()) run.reject(new Error("stopped"));
  waiting.clear();
}

// Analyzes what was given and shows the report; an analysis that still runs is stopped.
async function analyze(files, input) {
  if (files.length === 0 && input === "") return;
  if (!$("running").hidden) stop();
  const mine = (given = { files, input });
  $("result").hidden = true;
  $("running").hidden = false;
  $("bar").max = Math.max(files.length, 1);
  $("bar").removeAttribute("value");
  say(`Reading ${files.length} files on this computer ...`);
  const began = performance.now();
  try {
    const { code, out, notes } = await run(argumentsFor("html"), files, input, (opened) => {
      $("bar").value = opened;
      say(`Reading on this computer: ${opened} of ${files.length} files`);
    });
    if (given !== mine) return;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    if (code === 4) return say("Nothing that can be analyzed was found in these files.", true);
    if (code !== 0) return say(`The program ended with exit code ${code}. ${notes}`, true);
    if (shown) URL.revokeObjectURL(shown);
    shown = URL.createObjectURL(new Blob([out], { type: "text/html" }));
    $("report").src = shown;
    $("result").hidden = false;
    say(`Done in ${seconds} s. No file has left this computer.`);
  } catch (error) {
    if (given !== mine) return;
    stop();
    say(error.message === "stopped" ? "Stopped." : `The program failed: ${error.message}`, true);
  } finally {
    if (given === mine) $("running").hidden = true;
  }
}

// Saves the report in a format.
async function save(format) {
  const { out } = await run(argumentsFor(format), given.files, given.input);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([out], { type: MIME[format] }));
  link.download = `crashsift-report.${ENDING[format]}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The files in what was dropped, with their paths: folders are walked.
async function filesOf(items) {
  const files = [];
  const walk = async (entry, path) => {
    if (entry.isFile) {
      const blob = await new Promise((resolve, reject) => entry.file(resolve, reject));
      files.push({ path: path + entry.name, blob });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      // A call returns a part of a folder, the last one nothing.
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) return;
      for (const inner of part) await walk(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of [...items].map((item) => item.webkitGetAsEntry()).filter(Boolean)) await walk(entry, "");
  return files;
}

const chosen = (input) => [...input.files].map((blob) => ({ path: blob.webkitRelativePath || blob.name, blob }));

for (const id of ["files", "folder"]) $(id).addEventListener("change", () => analyze(chosen($(id)), ""));
$("explain").addEventListener("submit", (event) => {
  event.preventDefault();
  analyze([], $("text").value);
});
$("stop").addEventListener("click", stop);
for (const button of document.querySelectorAll("[data-format]")) {
  button.addEventListener("click", () => save(button.dataset.format));
}
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
document.addEventListener("dragleave", () => document.body.classList.remove("over"));
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  analyze(await filesOf(event.dataTransfer.items), "");
});
// For whoever has other questions: crashsift(["explain", "0xC0000409"]) in the browser's console.
window.crashsift = run;
