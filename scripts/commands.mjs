// Takes the command lines out of the rules and parses them as PowerShell, and the scripts of the recipes. See commands.sh.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, "package.json"));
const YAML = require("yaml");

const read = (path) => YAML.parse(readFileSync(path, "utf8"));
const written = (line) => (typeof line === "string" ? line : line.re);
const list = (name) => read(`rules/data/steps/${name}.yaml`).lines.map(written).map((line) => `(?:${line})`).join("|");
const begins = new RegExp(list("command-lines").replaceAll("{powershell-verbs}", `(?:${list("powershell-verbs")})`), "i");

function* texts(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const inside of Object.values(value)) yield* texts(inside);
}

const commands = new Map();
const isOfRules = (path) => /^[a-z0-9]+\/[^/]+\.yaml$/.test(path) && !path.endsWith(".tests.yaml") && !path.startsWith("data/");
const files = readdirSync("rules", { recursive: true }).filter(isOfRules).map((path) => `rules/${path}`);
for (const path of [...files, "rules/data/collect.yaml", "rules/data/leads.yaml"].sort()) {
  const { rules, collect, ...rest } = read(path);
  const parts = rules?.map(({ explanation, adjust, remediation, collect }) => [explanation, adjust, remediation, collect]);
  for (const text of texts(parts ?? collect ?? rest)) {
    for (const [, command] of text.matchAll(/`([^`]+)`/g)) {
      const filled = command.replace(/\{\{.*?\}\}|\{(program|dump|host)\}/g, "A B.exe");
      if (begins.test(filled)) commands.set(filled, path);
    }
  }
}

// Marks of quotation within a word, and words like `--name=value`, are unknown to the grammar: such a word is quoted whole.
const quoted = (word) => (/^[^"]+"|^--[\w-]+=/.test(word) ? `"${word.replaceAll('"', "")}"` : word);
const plain = (command) => command.replace(/(?:[^\s"]|"[^"]*"?)+/g, quoted);

const scripts = new Map();
for (const path of readdirSync("contrib/recipes", { recursive: true }).filter((path) => path.endsWith(".ps1")).sort()) {
  scripts.set(`contrib/recipes/${path}`, readFileSync(`contrib/recipes/${path}`, "utf8"));
}

async function byGrammar() {
  const { Parser, Language } = await import(pathToFileURL(require.resolve("web-tree-sitter")).href);
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(folder, "node_modules/tree-sitter-powershell/tree-sitter-powershell.wasm")));
  const isWrong = (text) => parser.parse(text).rootNode.hasError;
  return [
    ...[...commands.keys()].filter((command) => isWrong(`${plain(command)}\n`)),
    ...[...scripts.keys()].filter((path) => isWrong(scripts.get(path))),
  ];
}

function byPowerShell() {
  const script =
    "foreach ($line in $input) { $errors = $null; $text = $line; " +
    "if (Test-Path -LiteralPath $line -PathType Leaf) { $text = Get-Content -LiteralPath $line -Raw } " +
    "[void][Management.Automation.Language.Parser]::ParseInput($text, [ref]$null, [ref]$errors); if ($errors) { $line } }";
  const input = [...commands.keys(), ...scripts.keys()].join("\n");
  const { status, stdout } = spawnSync("pwsh", ["-NoProfile", "-Command", script], { input, encoding: "utf8" });
  if (status !== 0) throw new Error("pwsh failed");
  return stdout.split(/\r?\n/).filter(Boolean);
}

const hasPowerShell = spawnSync("pwsh", ["-NoProfile", "-Command", "exit 0"]).status === 0;
const wrong = hasPowerShell ? byPowerShell() : await byGrammar();
for (const one of wrong) console.log(commands.has(one) ? `${commands.get(one)}: not PowerShell: ${one}` : `${one}: not PowerShell`);
console.log(`${commands.size} command lines and ${scripts.size} scripts, ${wrong.length} not parsed, by ${hasPowerShell ? "pwsh" : "a grammar"}`);
process.exit(wrong.length === 0 && commands.size > 100 && scripts.size > 2 ? 0 : 1);
