// Checks the triggers of flows that start from outside: schedules, webhooks, and users.
import { quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { readTicks, type Ticks } from '../outside/ticks.ts'
import {
  type Checking,
  checkCollections,
  checkMembers,
  checkWord,
  type WrittenTrigger,
} from './check-context.ts'
import { checkAllow } from './check-filter.ts'
import type { CompiledManual, CompiledSchedule, CompiledWebhook } from './compiled.ts'

const defaultWaitMs = 10_000
const longestWaitMs = 60_000

export function checkSchedule(trigger: WrittenTrigger, checking: Checking): CompiledSchedule {
  checkMembers(trigger, ['on', 'cron', 'timeZone', 'overlap', 'missed'], checking)
  const timeZone = checkTimeZone(trigger.timeZone ?? 'UTC', checking)
  const cron = checkPattern(trigger.cron, checking)
  return {
    on: 'schedule',
    cron: cron ?? '',
    timeZone: timeZone ?? 'UTC',
    overlap: checkWord(trigger, 'overlap', ['skip', 'allow'], checking),
    missed: checkWord(trigger, 'missed', ['last', 'none'], checking),
    ticks: cron === undefined ? undefined : ticksOf({ cron, timeZone: timeZone ?? 'UTC' }, checking),
  }
}

function checkTimeZone(input: unknown, { add }: Checking): string | undefined {
  try {
    if (typeof input === 'string') return new Intl.DateTimeFormat('en', { timeZone: input }) && input
  } catch {
    // Said below, as of what is no text.
  }
  return add(
    ['trigger', 'timeZone'],
    `There is no time zone ${quote(input)}.`,
    'Take a name such as "Europe/Berlin", or "UTC".',
  )
}

const longestPattern = 255
/** Five or six parts, or a word. Croner would read a moment, too, which is no schedule. */
const pattern = /^(?:@\w+|\S+(?: +\S+){4,5})$/

function checkPattern(input: unknown, { add }: Checking): string | undefined {
  if (typeof input === 'string' && input.length <= longestPattern && pattern.test(input)) return input
  return add(
    ['trigger', 'cron'],
    `"cron" has five fields, or six with the second in front, and not ${quote(input)}.`,
    'Each day at six: "0 6 * * *".',
  )
}

function ticksOf(
  schedule: { readonly cron: string; readonly timeZone: string },
  { add, cron }: Checking,
): Ticks | undefined {
  if (cron === undefined) return undefined
  const path = ['trigger', 'cron']
  if (cron === null)
    return add(
      path,
      'A schedule needs the package "croner", and createFlows does not have it.',
      'Install it, and pass its class: createFlows(engine, { cron: Cron }).',
    )
  try {
    const ticks = readTicks(cron, schedule)
    if (ticks.next(Date.now()) === undefined) add(path, `The schedule ${quote(schedule.cron)} never comes.`)
    return ticks
  } catch (error) {
    const says = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'it is none'
    return add(path, `The schedule ${quote(schedule.cron)} cannot be read: ${says.replace(/\.$/, '')}.`)
  }
}

const webhookMembers = ['on', 'allow', 'method', 'waitMs', 'hmac', 'headers', 'returns']

export function checkWebhook(trigger: WrittenTrigger, checking: Checking): CompiledWebhook | undefined {
  const { add } = checking
  checkMembers(trigger, webhookMembers, checking)
  const words = ['signed', 'public', 'authenticated'] as const
  const allow = checkAllow(trigger.allow, words, checking)
  const method = checkWord(trigger, 'method', ['POST', 'GET'], checking)
  if (method === 'GET' && allow !== undefined && allow !== 'public')
    add(
      ['trigger', 'method'],
      'Only a flow that is "public" is started by GET: a signature covers the body, and any page can make a browser follow a link.',
    )
  const hmac = trigger.hmac === undefined ? undefined : checkSignature(trigger.hmac, checking)
  if (allow === 'signed' && trigger.hmac === undefined)
    add(['trigger', 'hmac'], '"hmac" says how requests are signed: { "scheme", "secret" }.')
  else if (allow !== undefined && allow !== 'signed' && trigger.hmac !== undefined)
    add(['trigger', 'hmac'], 'Nothing is signed here: "hmac" belongs to "allow": "signed".')
  const waitMs = checkWait(trigger, checking)
  const headers = checkHeaders(trigger.headers ?? [], checking)
  return allow && { on: 'webhook', allow, method, waitMs, hmac, headers }
}

const manualMembers = ['on', 'collections', 'needsSelection', 'allow', 'waitMs', 'returns']

export function checkManual(trigger: WrittenTrigger, checking: Checking): CompiledManual | undefined {
  const { add, limits } = checking
  checkMembers(trigger, manualMembers, checking)
  const allow = checkAllow(trigger.allow, ['authenticated'] as const, checking)
  const { needsSelection = true } = trigger
  if (typeof needsSelection !== 'boolean')
    add(['trigger', 'needsSelection'], `"needsSelection" is true or false, not ${quote(needsSelection)}.`)
  const waitMs = checkWait(trigger, checking)
  const collections =
    trigger.collections === undefined ? limits?.collections : checkCollections(trigger.collections, checking)
  return allow && { on: 'manual', allow, collections, needsSelection: needsSelection !== false, waitMs }
}

function checkWait(trigger: WrittenTrigger, { add }: Checking): number {
  const { waitMs: input = defaultWaitMs } = trigger
  if (typeof input === 'number' && Number.isInteger(input) && input >= 0 && input <= longestWaitMs)
    return input
  add(
    ['trigger', 'waitMs'],
    `"waitMs" is a whole number of milliseconds from 0 to ${longestWaitMs.toLocaleString('en')}, not ${quote(input)}.`,
  )
  return defaultWaitMs
}

const mostSecrets = 10

function checkSignature(
  input: unknown,
  { add, schemes, secrets, limits }: Checking,
): CompiledWebhook['hmac'] {
  const path = ['trigger', 'hmac']
  const { scheme, secret, ...others } = isRecord(input) ? input : {}
  if (!isRecord(input) || Object.keys(others).length > 0)
    return add(path, `"hmac" is { "scheme", "secret" }, not ${quote(input)}.`)
  if (typeof scheme !== 'string' || (schemes && !Object.hasOwn(schemes, scheme)))
    add([...path, 'scheme'], `There is no scheme ${quote(scheme)}.`, () => {
      const names = Object.keys(schemes ?? {})
      return suggestion(String(scheme), names) ?? `Known: ${names.join(', ')}.`
    })
  const isList = Array.isArray(secret) && secret.length > 0 && secret.length <= mostSecrets
  if (!isList || !secret.every((one) => typeof one === 'string'))
    return add([...path, 'secret'], `"secret" is a list of one to ${mostSecrets} names of secrets.`)
  const row =
    typeof scheme === 'string' && schemes && Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  for (const [at, name] of secret.entries()) {
    // Checked first: an author of rows must not learn anything about the other secrets, not even their names.
    if (limits && !Object.hasOwn(limits.secrets ?? {}, name)) {
      add([...path, 'secret', at], `Flows of this collection may not use the secret ${quote(name)}.`)
      continue
    }
    const text = secrets?.get(name)
    if (secrets && text === undefined) {
      const isText = [...secrets.values()].includes(name)
      add(
        [...path, 'secret', at],
        isText ? 'The text of a secret stands in the definition.' : `There is no secret ${quote(name)}.`,
        () => (isText ? 'Write its name.' : suggestion(name, secrets.keys())),
      )
    }
    const problem = text === undefined ? undefined : row?.secretProblem?.(text)
    if (problem !== undefined)
      add([...path, 'secret', at], `The secret ${quote(name)} is none of ${quote(scheme)}.`, problem)
  }
  return typeof scheme === 'string' ? { scheme, secret } : undefined
}

const mostHeaders = 50
export const headerName = /^[\w!#$%&'*+.^`|~-]{1,255}$/
/** Headers with credentials: no flow sees them, and no run keeps them. */
export const hiddenHeaders = ['authorization', 'proxy-authorization', 'cookie']

function checkHeaders(input: unknown, { add }: Checking): readonly string[] {
  const path = ['trigger', 'headers']
  if (!Array.isArray(input) || input.length > mostHeaders) {
    add(path, `"headers" is a list of ${mostHeaders} names at most, not ${quote(input)}.`)
    return []
  }
  const names = input.map((one: unknown) => (typeof one === 'string' ? one.toLowerCase() : ''))
  for (const [at, name] of names.entries())
    if (!headerName.test(name)) add([...path, at], `${quote(input[at])} is no name of a header.`)
    else if (hiddenHeaders.includes(name))
      add([...path, at], `No flow sees the header ${quote(name)}: it holds credentials.`)
  return [...new Set(names)]
}
