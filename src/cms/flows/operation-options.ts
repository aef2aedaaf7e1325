// The operations of the service as ours: another type, other names of options, and what cannot be kept.

import { copyJson, isNoJson, maxChain } from '../../flows/chain/chain.ts'
import { readTemplate } from '../../flows/chain/template.ts'
import { shortestSecret } from '../../flows/flow-options.ts'
import { isRecord } from '../../values/guards.ts'
import type { CmsOperation, WrittenOptions } from './flow-rows.ts'

interface OperationConversion {
  readonly operation: CmsOperation
  /** True in a flow that an event of an item starts. */
  readonly isOfItems: boolean
  readonly note: (message: string) => void
  readonly refuse: (reason: string) => void
  /** Moves the text of a secret out of the definition, and returns its template. */
  readonly keepSecret: (text: string) => string
}

export interface ConvertedOperation {
  readonly type: string
  readonly options: WrittenOptions
}

/** Returns the type and the options of an operation as ours; undefined for a type that the service does not have itself. */
export function convertOperation(converting: OperationConversion): ConvertedOperation | undefined {
  const { type, options } = converting.operation
  return Object.hasOwn(conversions, type) ? conversions[type]?.(options, converting) : undefined
}

type Convert = (options: WrittenOptions, converting: OperationConversion) => ConvertedOperation

const unchanged: Convert = (options, { operation: { type } }) => ({ type, options })

const conversions: Readonly<Record<string, Convert>> = {
  transform: unchanged,
  log: unchanged,
  sleep: unchanged,
  'throw-error': unchanged,
  condition: (options, converting) => ({
    type: 'condition',
    options: { ...options, ...jsonTexts(options, ['filter'], converting) },
  }),
  'item-create': (options, converting) => ({
    type: 'item-create',
    options: { ...options, ...jsonTexts(options, ['payload'], converting) },
  }),
  'item-read': (options, converting) => {
    const { emitEvents, ...others } = namedItems(options, converting)
    if (emitEvents === true) converting.note('A flow that runs before a read runs before every read.')
    if (!namesItems(others))
      converting.note('It names no items, so it lists the collection; there it is null.')
    return { type: 'item-read', options: others }
  },
  'item-update': changedItems,
  'item-delete': changedItems,
  trigger: ({ iterationMode, batchSize: _size, ...options }, converting) => {
    const read = { ...options, ...jsonTexts(options, ['payload'], converting) }
    if (iterationMode !== 'serial' && !isRecord(read.payload ?? {}))
      converting.note('A list starts one run after the other, and none beside each other.')
    return { type: 'trigger', options: read }
  },
  request: ({ method = 'GET', body, ...options }, { note }) => {
    const hasBody = body !== undefined && body !== ''
    const isBodiless = hasBody && /^(get|head)$/i.test(String(method))
    if (isBodiless)
      note(`A request of the method ${String(method).toUpperCase()} has no body, so it is left out.`)
    return { type: 'request', options: { ...options, method, ...(hasBody && !isBodiless && { body }) } }
  },
  'json-web-token': token,
  mail: ({ to, subject, body, type, ...others }, { note, refuse }) => {
    if (type === 'template' || others.template !== undefined)
      refuse('It sends a mail by a template of the service. Write its text into "body".')
    for (const name of ['cc', 'bcc', 'replyTo'])
      if (others[name] !== undefined) note(`A message has no "${name}", so it is left out.`)
    return { type: 'send', options: defined({ kind: 'mail', to, subject, body, type }) }
  },
  notification: ({ recipient, subject, message, ...others }, { note }) => {
    for (const name of ['collection', 'item'])
      if (others[name] !== undefined) note(`A message has no "${name}", so it is left out.`)
    const options = defined({ kind: 'notification', to: recipient, subject, body: message })
    return { type: 'send', options }
  },
  exec: ({ code, ...options }, { note }) => {
    if (typeof code === 'string' && code.includes('$env')) note('A script gets no "$env".')
    return { type: 'script', options: { ...options, code } }
  },
}

const defined = (options: WrittenOptions): WrittenOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** Returns options that are texts of JSON as what these say. The service writes values into such a text before it reads it. */
function jsonTexts(
  options: WrittenOptions,
  names: readonly string[],
  { note }: OperationConversion,
): WrittenOptions {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = options[name]
      if (typeof text !== 'string' || text === '') return []
      const template = readTemplate(text)
      if (typeof template === 'object' && template.kind === 'whole') return []
      const value = jsonOf(text) ?? jsonOf(withQuotes(text))
      if (template !== undefined)
        note(
          value === undefined
            ? `"${name}" is no JSON before values are written into it, so it is rejected.`
            : `"${name}" is read before values are written into it, so each keeps its type.`,
        )
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Reads JSON; undefined for what is none, or nests too deep. */
function jsonOf(text: string): unknown {
  try {
    const copy = copyJson(JSON.parse(text), maxChain)
    return isNoJson(copy) ? undefined : copy.value
  } catch {
    return undefined
  }
}

/** Characters of a text of which the templates are looked for. */
const longestText = 20_000

/** Returns a text with quotes around templates that stand for a whole value: `{ "n": {{ x }} }`. */
const withQuotes = (text: string): string =>
  text.length > longestText
    ? text
    : text.replace(/"(?:[^"\\]|\\.)*"|\{\{[^{}]*\}\}/g, (part) =>
        part.startsWith('"') ? part : JSON.stringify(part),
      )

const namesItems = ({ key, keys, query }: WrittenOptions): boolean =>
  key !== undefined || keys !== undefined || query !== undefined

/** Returns the options of an operation on items: one key or a list of keys in place of either, and none that names nothing. */
function namedItems(options: WrittenOptions, converting: OperationConversion): WrittenOptions {
  const { key, query, ...others } = { ...options, ...jsonTexts(options, ['query', 'payload'], converting) }
  const isEmpty = query === undefined || query === '' || (isRecord(query) && Object.keys(query).length === 0)
  return { ...others, ...keyOption(key, converting), ...(!isEmpty && { query }) }
}

function keyOption(key: unknown, { isOfItems, note }: OperationConversion): WrittenOptions {
  if (Array.isArray(key)) {
    if (key.length > 1) return { keys: key }
    return key.length === 1 ? { key: key[0] } : {}
  }
  if (key === undefined || key === '') return {}
  if (isOfItems || !bringsKeys(key)) return { key }
  note('Its template brings a list of keys, so the answer is a list, also for one of them.')
  return { keys: key }
}

/** True for a template such as `{{ $trigger.body.keys }}`. */
function bringsKeys(key: unknown): boolean {
  const template = typeof key === 'string' ? readTemplate(key) : undefined
  return (
    typeof template === 'object' && template.kind === 'whole' && template.slot.place.steps.at(-1) === 'keys'
  )
}

function changedItems(options: WrittenOptions, converting: OperationConversion): ConvertedOperation {
  const { type } = converting.operation
  const named = namedItems(options, converting)
  if (!namesItems(named) && !Array.isArray(named.payload))
    converting.note('It names no items, so it is rejected; there it does nothing.')
  return { type, options: named }
}

const sharedAlgorithms = ['HS256', 'HS384', 'HS512']

function token(written: WrittenOptions, converting: OperationConversion): ConvertedOperation {
  const { secret, ...options } = { ...written, ...jsonTexts(written, ['options'], converting) }
  const { operation, options: settings = {} } = options
  const needsList = operation === 'verify' && isRecord(settings) && settings.algorithms === undefined
  return {
    type: 'json-web-token',
    options: {
      ...options,
      options: needsList ? { ...settings, algorithms: sharedAlgorithms } : settings,
      ...(secret !== undefined && operation !== 'decode' && { secret: keptKey(secret, converting) }),
    },
  }
}

/** Returns the template of a key that stands in the definition. */
function keptKey(secret: unknown, { keepSecret, note }: OperationConversion): unknown {
  if (typeof secret !== 'string' || readTemplate(secret) !== undefined) return secret
  if (secret.length >= shortestSecret) return keepSecret(secret)
  note(`Its key has fewer than ${shortestSecret} characters, so it is no secret and stays in the definition.`)
  return secret
}
