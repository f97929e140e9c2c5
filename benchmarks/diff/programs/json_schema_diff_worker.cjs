// json-schema-diff: which values a change of a schema adds and removes. The conversation is that of
// loop.py.
"use strict";

const readline = require("node:readline");
const { diffSchemas } = require("json-schema-diff");

const diff = (before, after) => diffSchemas({ sourceSchema: before, destinationSchema: after });

async function verdict(before, after) {
  try {
    if ((await diff(before.inputSchema, after.inputSchema)).removalsFound) return "breaking";
    if (!("outputSchema" in before)) return "fine";
    if (!("outputSchema" in after)) return "breaking";
    return (await diff(before.outputSchema, after.outputSchema)).additionsFound ? "breaking" : "fine";
  } catch {
    return "error";
  }
}

const byName = (text) => new Map(JSON.parse(text).map((tool) => [tool.name, tool]));

const secondsBetween = (from, to) => Number(to - from) / 1e9;

async function judge(before, after) {
  const verdicts = {};
  for (const [name, tool] of before) {
    if (after.has(name)) verdicts[name] = await verdict(tool, after.get(name));
  }
  return verdicts;
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const question = JSON.parse(line);
    const started = process.hrtime.bigint();
    const [before, after] = [byName(question.before), byName(question.after)];
    const readAt = process.hrtime.bigint();
    const verdicts = await judge(before, after);
    const seconds = secondsBetween(readAt, process.hrtime.bigint());
    const reading = secondsBetween(started, readAt);
    process.stdout.write(`${JSON.stringify({ reading, seconds, verdicts })}\n`);
  }
}

main();
