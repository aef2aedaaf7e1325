// Checks one operation: its type, its options, and the places of its templates.
import { type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { type CompilingQuery, compileFilter, compileQuery, standsForValues } from '../chain/compile-query.ts'
import { type CompiledValue, compileValue, isConstant, type Need, namesHost } from '../chain/compile-value.ts'
import type { PlaceInText } from '../chain/template.ts'
import type { OptionRole, OptionRow } from '../operation-type.ts'
import { neededOptionOf, ownTypes } from '../operations/operation-types.ts'
import { stepsOfIssue } from '../reject.ts'
import {
  buildsOwn,
  type Checking,
  checkNames,
  type OperationPlace,
  type OptionReading,
  type WrittenOperation,
} from './check-context.ts'
import { checkCondition, checkRoots } from './check-filter.ts'
import { checkAccessWord, checkRetry } from './check-keeping.ts'
import type { CompiledOperation } from './compiled.ts'

const members = ['type', 'options', 'resolve', 'reject', 'access', 'retry']

/** Checks an operation; undefined if its type is not known. */
export function checkOperation(
  { value }: WrittenOperation,
  place: OperationPlace,
  checking: Checking,
): CompiledOperation | undefined {
  const { add, types, limits } = checking
  const { path, key } = place
  if (!isRecord(value)) return add(path, `An operation is an object, not ${quote(value)}.`)
  const { timeoutMs: later, ...others } = value
  if (later !== undefined) add([...path, 'timeoutMs'], '"timeoutMs" of an operation is not in this version.')
  checkNames(others, members, { path, says: 'An operation has no' }, checking)
  const access =
    value.access === undefined
      ? checking.access
      : checkAccessWord(value.access, [...path, 'access'], checking)
  if (access === 'caller') checking.found.needsCaller = true
  const typeName = typeof value.type === 'string' ? value.type : ''
  const type = Object.hasOwn(types, typeName) ? types[typeName] : undefined
  if (!type)
    return add(
      [...path, 'type'],
      `There is no operation ${quote(value.type)}.`,
      () =>
        neededOptionOf(typeName)?.hint ??
        suggestion(typeName, Object.keys(types)) ??
        `Known: ${Object.keys(types).join(', ')}.`,
    )
  if (limits && !limits.operations.includes(typeName))
    add(
      [...path, 'type'],
      `Flows of this collection may not use ${quote(typeName)}.`,
      () => `Allowed: ${limits.operations.join(', ')}.`,
    )
  const written = value.options ?? {}
  if (!isRecord(written))
    return add([...path, 'options'], `The options of an operation are an object, not ${quote(written)}.`)
  const secrets = new Set<string>()
  const reading: OptionReading = { ...place, path: [...path, 'options'], access, checking, type, secrets }
  const says = `"${typeName}" has no option`
  checkNames(written, Object.keys(type.options), { path: reading.path, says }, checking)
  refuseSecrets(written, reading)
  for (const { path: inner, message, hint } of type.problemsOf?.(written) ?? [])
    add([...reading.path, ...inner], message, hint)
  const rows = Object.entries(type.options)
  const options = rows.map(([name, row]) => [name, checkOption(name, written[name], row, reading)] as const)
  const block = rows.some(([, { role }]) => role === 'operations')
    ? checking.checkBlock(
        { first: written.first, operations: written.operations ?? {} },
        {
          path: reading.path,
          outer: new Set([...place.roots, key, '$item', '$index']),
          depth: place.depth + 1,
        },
        { ...checking, access },
      )
    : undefined
  const named = (name: 'resolve' | 'reject') => (typeof value[name] === 'string' ? value[name] : undefined)
  return {
    key,
    path,
    typeName,
    type,
    options,
    secret: new Set(rows.flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))),
    secrets,
    isHostOpen: checkAddresses(options, reading),
    written,
    resolve: named('resolve'),
    reject: named('reject'),
    access,
    retry: checkRetry(value.retry, [...path, 'retry'], checking.retry, add),
    condition: checkCondition(options, reading),
    block,
    starts: typeName === 'trigger' ? textOf(options.find(([name]) => name === 'flow')) : undefined,
  }
}

/** Refuses the text of a secret where its name stands: a definition is stored, and read by others. */
function refuseSecrets(written: unknown, { path, checking: { add, secrets, limits } }: OptionReading): void {
  if (!secrets || secrets.size === 0) return
  const text = JSON.stringify(written) ?? ''
  for (const [name, secret] of secrets)
    if (text.includes(JSON.stringify(secret).slice(1, -1))) {
      const isKnown = !limits || Object.hasOwn(limits.secrets ?? {}, name)
      add(
        path,
        `The text of ${isKnown ? `the secret ${quote(name)}` : 'a secret'} stands in the definition.`,
        isKnown ? `Write {{ $env.${name} }}.` : undefined,
      )
    }
}

/** Returns the text that an option is, unless a template brings it. */
const textOf = ([, compiled]: Partial<CompiledOperation['options'][number]> = []): string | undefined =>
  compiled && isConstant(compiled) && typeof compiled.value === 'string' ? compiled.value : undefined

function checkOption(name: string, value: unknown, row: OptionRow, reading: OptionReading): CompiledValue {
  const { checking, path } = reading
  const at = [...path, name]
  const constant: CompiledValue = { kind: 'constant', value }
  if (row.role === 'operations') return { kind: 'constant', value: undefined }
  if (value === undefined) {
    if (!row.schema.safeParse(undefined).success) checking.add(at, `The option "${name}" is missing.`)
    return constant
  }
  const compiled = roles[row.role ?? 'value'](value, at, {
    mayBuild: buildsOwn.includes(reading.access),
    report: (place, message, hint) => checking.add(place, message, hint),
    onSlot: (slot, place) => checkSlot(slot, place, row, reading),
  })
  if (row.role === 'condition') checkRoots(value, at, reading)
  if (!isConstant(compiled)) return compiled
  const read = row.schema.safeParse(compiled.value)
  if (!read.success)
    for (const { path: inner, message } of read.error.issues)
      checking.add([...at, ...stepsOfIssue(inner)], `"${name}": ${message}.`)
  return compiled
}

/** Checks whose values name the hosts of addresses. Returns true if it is not the definition alone. */
function checkAddresses(
  options: CompiledOperation['options'],
  { path, type, checking: { add, hosts, limits } }: OptionReading,
): boolean {
  const open = options.flatMap(([name, compiled]) =>
    type.options[name]?.role === 'url' && !namesHost(compiled) ? [name] : [],
  )
  const known = limits ? (limits.hosts ?? []) : hosts
  if (known?.length === 0)
    for (const name of open)
      add(
        [...path, name],
        'A template names the host of this address, and no hosts are listed for that.',
        limits
          ? 'Write the host out.'
          : 'Write the host out, or give createFlows "hosts": ["api.example.com"].',
      )
  return open.length > 0
}

type ReadRole = (value: unknown, path: Path, compiling: CompilingQuery) => CompiledValue

const readNeeded =
  (need: Need): ReadRole =>
  (value, path, compiling) =>
    compileValue(value, path, need, compiling)

const roles = {
  value: readNeeded('any'),
  list: readNeeded('any'),
  key: readNeeded('one'),
  keys: readNeeded('many'),
  query: compileQuery,
  condition: compileFilter,
  name: (value, path, compiling) =>
    compileValue(value, path, 'one', {
      ...compiling,
      onSlot: (slot, at) => {
        compiling.onSlot(slot, at)
        if (at.at(-1) !== 'collection')
          compiling.report(at, 'This name is written out, and comes from no template.')
        else if (!compiling.mayBuild) compiling.report(at, ...standsForValues)
      },
    }),
  operations: (value) => ({ kind: 'constant', value }),
  url: readNeeded('address'),
  program: (value) => ({ kind: 'constant', value }),
} as const satisfies Record<OptionRole, ReadRole>

function checkSlot(
  { place }: PlaceInText,
  path: Path,
  row: OptionRow,
  { roots, checking, type, secrets: named }: OptionReading,
): void {
  const { root, text, steps } = place
  const { add, secrets, found, limits } = checking
  if (root === '$accountability') found.namesCaller = true
  if (!roots.has(root)) {
    add(
      path,
      `The place {{ ${text} }} names ${quote(root)}, which has not run when this operation does.`,
      () => suggestion(root, roots) ?? `Known here: ${[...roots].join(', ')}.`,
    )
    return
  }
  if (root !== '$env') return
  const [secret, ...deeper] = steps
  if (!row.isSecret) add(path, 'A secret stands in the options that are made for secrets alone.')
  else if (typeof secret !== 'string' || deeper.length > 0)
    add(path, 'A secret is named by {{ $env.NAME }}, one at a time.')
  else if (limits && !Object.hasOwn(limits.secrets ?? {}, secret))
    add(path, `Flows of this collection may not use the secret ${quote(secret)}.`)
  else if (limits && !ownTypes.has(type))
    add(path, 'User-edited flows may pass secrets to built-in operations only.')
  else if (secrets && !secrets.has(secret))
    add(path, `There is no secret ${quote(secret)}.`, () => suggestion(secret, secrets.keys()))
  else named.add(secret)
}
