import { type EventName, eventNames } from '../../engine/events.ts'
import { quote } from '../../errors/errors.ts'
import type { FlowTrigger } from '../../flows/definition.ts'
import type { FlowReport } from './flow-report.ts'
import type { WrittenOptions } from './flow-rows.ts'

interface TriggerConversion {
  readonly options: WrittenOptions
  readonly report: FlowReport
  readonly hasCollection: (name: string) => boolean
  readonly timeZone: string
  /** Names of the headers at which the flow looks. */
  readonly headers: readonly string[]
  /** True if one of its operations writes, or one of a flow that it starts. */
  readonly writes: boolean
}

/** Returns a trigger as ours; undefined if the flow is left out. */
export function convertTrigger(trigger: string, converting: TriggerConversion): FlowTrigger | undefined {
  const convert = Object.hasOwn(conversions, trigger) ? conversions[trigger] : undefined
  if (convert) return convert(converting)
  converting.report.refuse(`There is no trigger ${quote(trigger)}.`)
  return undefined
}

type Convert = (converting: TriggerConversion) => FlowTrigger | undefined

const conversions: Readonly<Record<string, Convert>> = {
  event: (converting) => {
    const { type } = converting.options
    if (type === 'filter') return filtering(converting)
    if (type === 'action') return acting(converting)
    converting.report.refuse('It is neither a filter nor an action, so it never runs.')
    return undefined
  },
  operation: ({ options, report }) => {
    if (returnOf(options).returns === undefined)
      report.note('It answers its last value; there it answers null, because no "return" is set.')
    return { on: 'flow', ...returnOf(options) }
  },
  webhook: ({ options, report, headers }) => {
    const { method = 'GET' } = options
    if (method !== 'GET' && method !== 'POST') {
      report.refuse(`A webhook of the method ${quote(method)} never runs.`)
      return undefined
    }
    noteOfRejects(options, report)
    return {
      on: 'webhook',
      allow: 'public',
      method,
      ...waitOf(options),
      ...(headers.length > 0 && { headers }),
      ...returnOf(options),
    }
  },
  manual: (converting) => {
    const { options, report } = converting
    const collections = knownCollections(converting)
    if (!collections) return undefined
    noteOfRejects(options, report)
    const { requireSelection } = options
    return {
      on: 'manual',
      allow: 'authenticated',
      collections,
      ...(requireSelection === false && { needsSelection: false }),
      ...waitOf(options),
      ...returnOf(options),
    }
  },
  schedule: ({ options: { cron }, timeZone }) => ({
    on: 'schedule',
    // Checked with the definition, where it may be anything.
    cron: typeof cron === 'string' ? cron.trim().replace(/\s+/g, ' ') : (cron as string),
    timeZone,
    overlap: 'allow',
    missed: 'none',
  }),
}

function noteOfRejects({ error_on_reject: isError }: WrittenOptions, report: FlowReport): void {
  if (isError !== true) report.note('Where it fails, the answer is an error; there it has the status 200.')
}

const waitOf = ({ async: isLate }: WrittenOptions) => (isLate === true ? { waitMs: 0 } : {})

/** Returns the place of what a flow answers. What is no text is refused with the definition. */
const returnOf = ({ return: returns }: WrittenOptions): { readonly returns?: string } =>
  returns === undefined || returns === '' ? {} : { returns: returns as string } // checked with the definition

/** A flow that runs before a write, or before its commit if it writes itself. */
function filtering(converting: TriggerConversion): FlowTrigger | undefined {
  const { options, report, writes } = converting
  const collections = knownCollections(converting)
  const events = eventsOf(converting, writes ? ['items.read'] : [])
  if (!collections || !events) return undefined
  const { returns } = returnOf(options)
  if (!writes) return { on: events, collections, when: 'before', ...(returns !== undefined && { returns }) }
  if (returns !== undefined)
    report.note(
      'It writes, so it runs "beforeCommit", when the rows are stored: what it returns replaces no payload.',
    )
  return { on: events, collections, when: 'beforeCommit' }
}

function acting(converting: TriggerConversion): FlowTrigger | undefined {
  const collections = knownCollections(converting)
  const events = eventsOf(converting, ['items.read'])
  return collections && events && { on: events, collections, when: 'after' }
}

/** Returns the collections that there are; undefined if the flow has none, and never runs. */
function knownCollections({
  options: { collections },
  report,
  hasCollection,
}: TriggerConversion): readonly string[] | undefined {
  const names = textsOf(collections)
  const known = names.filter(hasCollection)
  for (const name of names)
    if (!hasCollection(name))
      report.note(`There is no collection ${quote(name)}, so the flow does not listen to it.`)
  if (known.length > 0) return known
  report.refuse(
    names.length === 0
      ? 'It names no collection, so it never runs.'
      : `There is no collection ${names.slice(0, maxNamed).map(quote).join(', ')}.`,
  )
  return undefined
}

const maxNamed = 5

function eventsOf(
  { options: { scope, collections }, report, hasCollection }: TriggerConversion,
  without: readonly EventName[],
): readonly EventName[] | undefined {
  const names = textsOf(scope)
  const known = eventNames.filter((event) => names.includes(event) && !without.includes(event))
  for (const name of names)
    if (!known.some((event) => event === name))
      report.note(`Flows of this kind do not support ${quote(name)}, so it does not run then.`)
  if (known.length === 0) {
    report.refuse(
      names.length === 0
        ? 'It names no event, so it never runs.'
        : `Flows of this kind do not support ${names.slice(0, maxNamed).map(quote).join(', ')}.`,
    )
    return undefined
  }
  for (const name of textsOf(collections))
    if (name.startsWith(systemPrefix) && hasCollection(name))
      report.note(
        `"$trigger.event" has the name of the collection: "${name}.items.update" in place of "${name.slice(systemPrefix.length)}.update".`,
      )
  return known
}

/** Names of the service's own collections begin with it. */
const systemPrefix = 'directus_'

/** Returns the texts of a list, each once. Older versions have one text in place of a list. */
const textsOf = (value: unknown): readonly string[] => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return [...new Set(all.filter((one) => typeof one === 'string' && one !== ''))] as string[] // filtered above
}
