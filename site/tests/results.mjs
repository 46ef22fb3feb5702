// A reporter for run.mjs: a JSON line for each test that begins, and for each that ended.

/**
 * Which test it is and, at its end, whether it passed, whether it is a group of tests, and how long it took, in milliseconds. A group
 * that fails fails with tests in it, which are named themselves.
 */
export default async function* results(events) {
  for await (const { type, data } of events) {
    const { name, nesting, details, skip } = data;
    if (type === "test:dequeue") yield `${JSON.stringify({ began: name })}\n`;
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (skip !== undefined || (details.type === "suite" && details.error?.failureType === "subtestsFailed")) continue;
    yield `${JSON.stringify({ name, passed: type === "test:pass", top: nesting === 0, group: details.type === "suite", ms: details.duration_ms })}\n`;
  }
}
