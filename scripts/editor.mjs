// Talks to yaml-language-server over standard input and output (Language Server Protocol 3.17). See editor.sh.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const schema = pathToFileURL(join(folder, "rules.schema.json")).href;
const settings = {
  schemas: { [schema]: ["*", "!first-line*"] },
  schemaStore: { enable: false },
  validate: true,
  completion: true,
  hover: true,
};

const program = join(folder, "node_modules/yaml-language-server/bin/yaml-language-server");
const server = spawn(process.execPath, [program, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const answers = new Map();
const diagnostics = new Map();
let asked = 0;

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
  server.stdin.write(body);
}

function ask(method, params) {
  asked += 1;
  const id = asked;
  send({ id, method, params });
  return new Promise((answer) => answers.set(id, answer));
}

function receive(message) {
  if (message.method === "textDocument/publishDiagnostics") {
    diagnostics.get(message.params.uri)?.(message.params.diagnostics);
  } else if (message.method === "workspace/configuration") {
    send({ id: message.id, result: message.params.items.map((item) => (item.section === "yaml" ? settings : {})) });
  } else if (message.method && message.id !== undefined) {
    send({ id: message.id, result: null });
  } else if (answers.has(message.id)) {
    answers.get(message.id)(message.result);
    answers.delete(message.id);
  }
}

let pending = Buffer.alloc(0);
server.stdout.on("data", (data) => {
  pending = Buffer.concat([pending, data]);
  for (;;) {
    const start = pending.indexOf("\r\n\r\n") + 4;
    if (start < 4) return;
    const length = Number(/Content-Length: (\d+)/i.exec(pending.subarray(0, start).toString())[1]);
    if (pending.length < start + length) return;
    const message = JSON.parse(pending.subarray(start, start + length).toString());
    pending = pending.subarray(start + length);
    receive(message);
  }
});

// What the server underlines in a text.
async function underlined(name, text) {
  const uri = pathToFileURL(join(folder, name)).href;
  const answer = new Promise((published, failed) => {
    diagnostics.set(uri, published);
    setTimeout(() => failed(new Error(`no answer for ${name}`)), 30_000).unref();
  });
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text } } });
  return { uri, found: await answer };
}

function* rules(path) {
  for (const name of readdirSync(path).sort()) {
    const inside = join(path, name);
    if (statSync(inside).isDirectory()) {
      if (name !== "data") yield* rules(inside);
    } else if (path !== "rules" && name.endsWith(".yaml")) {
      yield inside;
    }
  }
}

let wrong = 0;
function must(holds, what) {
  if (!holds) {
    wrong += 1;
    console.error(`not so: ${what}`);
  }
}

await ask("initialize", {
  processId: process.pid,
  rootUri: null,
  capabilities: {
    textDocument: { hover: { contentFormat: ["markdown"] }, completion: { completionItem: {} } },
    workspace: { configuration: true },
  },
});
send({ method: "initialized", params: {} });
send({ method: "workspace/didChangeConfiguration", params: { settings: { yaml: settings } } });

let files = 0;
for (const path of rules("rules")) {
  const { found } = await underlined(path.replaceAll("/", "-"), readFileSync(path, "utf8"));
  must(found.length === 0, `${path} is not underlined: ${found[0]?.message}`);
  files += 1;
}

// Lines of a text in the place of others, each of which is underlined.
async function mistakesAreUnderlined(name, lines, mistakes) {
  for (const [line, mistaken] of mistakes) {
    const { found } = await underlined(`${name}-${line}.yaml`, lines.with(line, mistaken).join("\n"));
    must(found.some((one) => one.range.start.line === line), `line ${line + 1} is underlined: ${mistaken.trim()}`);
  }
}

const demo = readFileSync("tests/rule_sets/demo/demo/rules.yaml", "utf8").split("\n");
const at = demo.findIndex((line) => line.includes("cause: gpu-timeout"));
await mistakesAreUnderlined("mistake", demo, [
  [at, "    cause: gpu-timeuot"],
  [at + 1, "    confidence: 90"],
  [at + 2, "    severity: hihg"],
  [at + 5, "        timeline|cuont: {gte: 3}"],
]);
// The line that `rules new` writes names the schema; without it, nothing does.
const misspelled = demo.with(at, "    cause: gpu-timeuot");
const named = ["# yaml-language-server: $schema=rules.schema.json", ...misspelled];
await mistakesAreUnderlined("first-line", named, [[at + 1, named[at + 1]]]);
must((await underlined("first-line.yaml", misspelled.join("\n"))).found.length === 0, "a file without the line has no schema");

const tests = [
  "schema: 1",
  "tests:",
  "  demo/hooked:",
  "    - {name: a hook, facts: {incident.kind: crash}, expect: match}",
  "    - {name: no hook, facts: {modules: []}, expect: no-match}",
  "",
];
const { found } = await underlined("demo.tests.yaml", tests.join("\n"));
must(found.length === 0, `tests beside rules are not underlined: ${found[0]?.message}`);
await mistakesAreUnderlined("tests", tests, [
  [2, "  Demo hooked:"],
  [3, "    - {name: a hook, facts: {incident.kind: crush}, expect: match}"],
  [4, "    - {name: no hook, facts: {modules: []}, expcet: no-match}"],
  [5, "rules: []"],
]);

const { uri } = await underlined("completed.yaml", demo.join("\n"));
const cause = { textDocument: { uri }, position: { line: at, character: 14 } };
const completed = await ask("textDocument/completion", cause);
must(completed.items.some((item) => item.label === "stack-overflow"), "causes are completed");
const kind = demo.findIndex((line) => line.includes("- incident.kind: crash"));
const hover = await ask("textDocument/hover", { textDocument: { uri }, position: { line: kind, character: 12 } });
must(JSON.stringify(hover).includes("What happened"), "facts are explained");

console.log(`${files} rule files, ${wrong} wrong`);
server.kill();
process.exitCode = wrong === 0 ? 0 : 1;
