// The program of the thread that runs scripts. It is a text, so that it goes wherever a bundler puts this package, and no tool rewrites what runs
// beside scripts.

/** A message of the thread: that it is ready, what a script has returned as JSON, what it has thrown, or that it has spent its time or memory. */
export type ScriptAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'spent' }
  | {
      readonly kind: 'thrown'
      readonly message: string
      readonly line: number | undefined
      readonly column: number | undefined
    }

/** Maximum characters of what a script returns, as JSON. */
const longestAnswer = 1024 * 1024

/** Names that a script finds when it begins. Nothing that it changes of the language later changes these. */
const beginning = `
globalThis.module = { exports: {} };
globalThis.exports = module.exports;
(({ parse, stringify }, Mistake) => {
  const plain = (name, value) => {
    const type = typeof value;
    if (type === 'function' || type === 'symbol' || type === 'bigint') throw new Mistake('a ' + type + ' is no JSON');
    return value;
  };
  return async (data) => {
    const run = module.exports;
    if (typeof run !== 'function') throw new Mistake('module.exports is no function');
    const value = await run(parse(data));
    return (value === undefined ? undefined : stringify(value, plain)) ?? 'null';
  };
})(JSON, TypeError)`

export const scriptThread = String.raw`
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC, Scope } = createRequire(workerData.from)('quickjs-emscripten');

// The limit of a runtime counts no bytes of what is allocated here, so the memory itself has an end.
const page = 65536;
const least = 256;
const own = 6 * 1024 * 1024;
const most = Math.max(least, Math.ceil((workerData.memoryBytes + own) / page));
const wasmMemory = new WebAssembly.Memory({ initial: least, maximum: most });
// Where no memory is left for an error, null is thrown.
const isOutOfMemory = (thrown) =>
  thrown === null ? wasmMemory.buffer.byteLength > least * page : thrown.name === 'InternalError' && thrown.message === 'out of memory';

newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory })).then((quickjs) => {
  parentPort.on('message', (job) => parentPort.postMessage(answerTo(quickjs, job)));
  parentPort.postMessage({ kind: 'ready' });
});

function answerTo(quickjs, job) {
  const scope = new Scope();
  try {
    const answer = run(quickjs, job, scope);
    scope.dispose();
    return answer;
  } catch {
    // Nothing of it is used again: the next script gets another thread.
    return { kind: 'spent' };
  }
}

function run(quickjs, { code, data, timeoutMs }, scope) {
  const until = performance.now() + timeoutMs;
  const isOver = () => performance.now() > until;
  const runtime = scope.manage(quickjs.newRuntime());
  runtime.setMemoryLimit(workerData.memoryBytes);
  runtime.setMaxStackSize(256 * 1024);
  runtime.setInterruptHandler(isOver);
  const vm = scope.manage(runtime.newContext());
  const failed = (error) => {
    const thrown = vm.dump(scope.manage(error));
    const { name, message, stack } = Object(thrown);
    if (isOver() || isOutOfMemory(thrown ?? null)) throw new Spent();
    const [, line, column] = /script\.js:(\d+)(?::(\d+))?/.exec(String(stack)) ?? [];
    const text = message === undefined ? asText(thrown) : (name ? name + ': ' : '') + message;
    return { kind: 'thrown', message: String(text).slice(0, 300), line: line && Number(line), column: column && Number(column) };
  };
  const begun = scope.manage(vm.unwrapResult(vm.evalCode(${JSON.stringify(beginning)}, 'quernel.js')));
  const written = vm.evalCode(code, 'script.js');
  if (written.error) return failed(written.error);
  scope.manage(written.value);
  const called = vm.callFunction(begun, vm.undefined, scope.manage(vm.newString(data)));
  if (called.error) return failed(called.error);
  const promise = scope.manage(called.value);
  for (let more = true; more; ) {
    const jobs = runtime.executePendingJobs(1000);
    if (jobs.error) return failed(jobs.error);
    if (isOver()) throw new Spent();
    more = jobs.value > 0;
  }
  const state = vm.getPromiseState(promise);
  if (state.type === 'pending') return { kind: 'thrown', message: 'it waits for what never comes' };
  if (state.type === 'rejected') return failed(state.error);
  const text = vm.getString(scope.manage(state.value));
  if (text.length > ${longestAnswer}) return { kind: 'thrown', message: 'it answers more than ${longestAnswer.toLocaleString('en')} characters' };
  return { kind: 'value', text };
}

class Spent extends Error {}

// Of what is no error: JSON, or the kind of what is none.
const asText = (thrown) => (typeof thrown === 'bigint' ? String(thrown) : JSON.stringify(thrown)) ?? typeof thrown;
`
