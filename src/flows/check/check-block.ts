// Checks operations: their names, the way from one to the next, and what their templates may look at.
import { type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import {
  type BlockPlace,
  type Checking,
  mostNesting,
  mostOperations,
  type Roots,
  type WrittenBlock,
  type WrittenOperation,
} from './check-context.ts'
import { checkOperation } from './check-operation.ts'
import type { Block, CompiledOperation } from './compiled.ts'

const operationName = /^[A-Za-z_][\w-]{0,63}$/
const reserved: readonly string[] = ['__proto__', 'constructor', 'prototype']

export function checkBlock(
  { first, operations }: WrittenBlock,
  place: BlockPlace,
  checking: Checking,
): Block {
  const { add, found } = checking
  const at = [...place.path, 'operations']
  const none: Block = { first: undefined, operations: new Map() }
  if (place.depth > mostNesting) {
    add(at, `Operations are nested ${mostNesting} times at most.`)
    return none
  }
  if (!isRecord(operations)) {
    add(at, `Operations are an object with a name for each, not ${quote(operations)}.`)
    return none
  }
  const written = new Map(Object.keys(operations).map((key) => [key, readWritten(operations, key)]))
  found.operations += written.size
  // Said once, by who has counted them all: what there is of far too many is not looked at.
  if (found.operations > mostOperations) return none
  for (const key of written.keys())
    if (!operationName.test(key) || reserved.includes(key))
      add([...at, key], `${quote(key)} is no name of an operation: letters, digits, "_" and "-", and no "$".`)
    else if (found.names.has(key))
      add([...at, key], `There is another operation ${quote(key)} around this one.`)
    else found.names.add(key)
  checkFirst(first, [...place.path, 'first'], written, checking)
  for (const [key, one] of written) checkTargets(one, [...at, key], written, checking)
  const cycle = cycleIn(written)
  if (cycle)
    add(
      at,
      `The operations run in a circle: ${cycle.join(' → ')}.`,
      'To do something for each value of a list take "for-each".',
    )
  const before = leadingTo(written)
  const checked = new Map<string, CompiledOperation>()
  for (const [key, one] of written) {
    const roots = rootsOf(key, before, place.outer)
    const operation = checkOperation(one, { key, path: [...at, key], roots, depth: place.depth }, checking)
    if (operation) checked.set(key, operation)
  }
  return { first: typeof first === 'string' ? first : undefined, operations: checked }
}

function readWritten(operations: Readonly<Record<string, unknown>>, key: string): WrittenOperation {
  const value: unknown = Reflect.get(operations, key)
  const { resolve, reject } = Object(value)
  const targets = [resolve, reject].filter((one) => typeof one === 'string' && Object.hasOwn(operations, one))
  return { value, targets }
}

type Written = ReadonlyMap<string, WrittenOperation>

function checkFirst(first: unknown, path: Path, written: Written, { add }: Checking): void {
  if (written.size === 0) {
    if (first !== undefined) add(path, 'There are no operations, so none is the first.')
  } else if (first === undefined) add(path, `"first" names the operation that runs first.`)
  else if (typeof first !== 'string' || !written.has(first))
    add(path, `There is no operation ${quote(first)}.`, () => nearestTo(first, written))
}

function checkTargets({ value }: WrittenOperation, path: Path, written: Written, { add }: Checking): void {
  for (const name of ['resolve', 'reject'] as const) {
    const target: unknown = Object(value)[name]
    if (target === undefined) continue
    if (typeof target !== 'string' || !written.has(target))
      add([...path, name], `There is no operation ${quote(target)} beside this one.`, () =>
        nearestTo(target, written),
      )
  }
}

const nearestTo = (target: unknown, written: Written): string | undefined =>
  typeof target === 'string' ? suggestion(target, written.keys()) : undefined

/** Returns the names of operations that follow each other in a circle; undefined if none do. */
function cycleIn(written: Written): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of written.keys()) {
    const trail: { readonly key: string; next: number }[] = [{ key: start, next: 0 }]
    const on = new Set([start])
    for (let last = trail.at(-1); last; last = trail.at(-1)) {
      const target = written.get(last.key)?.targets[last.next++]
      if (target === undefined || done.has(last.key)) {
        done.add(last.key)
        on.delete(last.key)
        trail.pop()
      } else if (on.has(target)) {
        const names = trail.map(({ key }) => key)
        return [...names.slice(names.indexOf(target)), target]
      } else if (!done.has(target)) {
        trail.push({ key: target, next: 0 })
        on.add(target)
      }
    }
  }
  return undefined
}

function leadingTo(written: Written): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, string[]>([...written.keys()].map((key) => [key, []]))
  for (const [key, { targets }] of written) for (const target of targets) before.get(target)?.push(key)
  return before
}

/** Returns the roots of one operation. Most templates name few of them, so that they are looked for one by one. */
function rootsOf(key: string, before: ReadonlyMap<string, readonly string[]>, outer: Roots): Roots {
  /** Walks the operations from which a way leads here. */
  function* upstream(): Generator<string> {
    const seen = new Set<string>()
    const left = [...(before.get(key) ?? [])]
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (seen.has(one)) continue
      seen.add(one)
      yield one
      left.push(...(before.get(one) ?? []))
    }
  }
  return {
    has: (name) => {
      if (outer.has(name)) return true
      if (before.has(name)) for (const one of upstream()) if (one === name) return true
      return false
    },
    *[Symbol.iterator]() {
      yield* outer
      yield* upstream()
    },
  }
}
