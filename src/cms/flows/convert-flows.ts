// Flows of the service as definitions of ours.
import { createHash } from 'node:crypto'
import { quote } from '../../errors/errors.ts'
import type { AnyOperationDefinition, FlowAccess, FlowDefinition } from '../../flows/definition.ts'
import type { OperationTypes } from '../../flows/operation-type.ts'
import { ownTypes } from '../../flows/operations/operation-types.ts'
import type { FlowReport } from './flow-report.ts'
import type { CmsFlow, CmsOperation } from './flow-rows.ts'
import { convertTrigger } from './flow-trigger.ts'
import { namedHeaders } from './named-headers.ts'
import { type ConvertedOperation, convertOperation } from './operation-options.ts'
import type { DraftFlow } from './valid-flows.ts'

interface FlowConversion {
  readonly types: OperationTypes
  readonly timeZone: string
  readonly hasCollection: (name: string) => boolean
}

/** A key that stood in a flow. */
interface MovedKey {
  readonly secret: string
  readonly report: FlowReport
  readonly operation: string
}

/** Definitions that are not checked yet, and the keys that stood in them, by the names that stand there now. */
interface ConvertedFlows {
  readonly drafts: readonly DraftFlow[]
  readonly keys: ReadonlyMap<string, MovedKey>
}

interface FlowParts {
  readonly row: CmsFlow
  readonly operations: readonly (readonly [CmsOperation, ConvertedOperation])[]
}

export function convertFlows(rows: readonly CmsFlow[], conversion: FlowConversion): ConvertedFlows {
  const keys = new Map<string, MovedKey>()
  const parts = rows
    .filter(({ report }) => !report.isLeftOut)
    .map((row) => ({
      row,
      operations: row.operations.map((one) => [one, converted(one, row, { conversion, keys })] as const),
    }))
  const writing = writingFlows(parts, conversion.types)
  const drafts = parts.flatMap((part) => {
    const definition = definitionOf(part, conversion, writing.has(part.row.id))
    return definition && !part.row.report.isLeftOut ? [{ definition, report: part.row.report }] : []
  })
  refuseOpenKeys(drafts, keys)
  return {
    drafts: drafts.filter(({ report }) => !report.isLeftOut),
    keys: new Map([...keys].filter(([, { report }]) => !report.isLeftOut)),
  }
}

/** Leaves out flows whose keys stand in definitions besides: flows with the text of a secret are refused, and one may stand in all of them. */
function refuseOpenKeys(drafts: readonly DraftFlow[], keys: ConvertedFlows['keys']): void {
  const texts = drafts.map(({ definition }) => JSON.stringify(definition.operations))
  for (const { secret, report, operation } of keys.values()) {
    const text = JSON.stringify(secret).slice(1, -1)
    if (texts.some((one) => one.includes(text)))
      report.refuse('Its key stands in the text of flows, too, so it is no secret.', operation)
  }
}

interface Moving {
  readonly conversion: FlowConversion
  readonly keys: Map<string, MovedKey>
}

/** Number of keys that are moved: each is looked for in all definitions. */
const maxKeys = 200

function converted(
  operation: CmsOperation,
  { trigger, report }: CmsFlow,
  { conversion: { types }, keys }: Moving,
): ConvertedOperation {
  const { key, type: typeThere, options: optionsThere } = operation
  const asThere = { type: typeThere, options: optionsThere }
  const row = Object.hasOwn(types, typeThere) ? types[typeThere] : undefined
  // A type of the host's takes the place of one of the service, or of an extension.
  if (row && !ownTypes.has(row)) return asThere
  const own = convertOperation({
    operation,
    isOfItems: trigger === 'event',
    note: (message) => report.note(message, key),
    refuse: (reason) => report.refuse(reason, key),
    keepSecret: (secret) => {
      const name = nameOfKey(operation)
      if (keys.size >= maxKeys) report.refuse(`More than ${maxKeys} keys stand in flows.`, key)
      else keys.set(name, { secret, report, operation: key })
      return `{{ $env.${name} }}`
    },
  })
  // An extension may have the name of a type that is only here, and means something else.
  if (!own && row) report.refuse(`The type ${quote(typeThere)} of the service is none of this package.`, key)
  const { type, options } = own ?? asThere
  const known = Object.hasOwn(types, type) ? types[type]?.options : undefined
  if (!known) return { type, options }
  // Elsewhere the service does not look at rights.
  const isKnown = (name: string) =>
    Object.hasOwn(known, name) || (name === 'permissions' && Object.hasOwn(known, 'collection'))
  for (const [name, value] of Object.entries(options))
    if (!isKnown(name) && value !== false && value !== '' && name !== 'permissions')
      report.note(`There is no option ${quote(name)} here, so it is left out.`, key)
  return { type, options: Object.fromEntries(Object.entries(options).filter(([name]) => isKnown(name))) }
}

/** Returns the name of a key: the same at each reading, also once the key has changed. */
const nameOfKey = ({ id }: CmsOperation): string =>
  `key_of_${/^[\w-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')}`

/** Returns the keys of flows that write, or start one that does. */
function writingFlows(parts: readonly FlowParts[], types: OperationTypes): ReadonlySet<string> {
  const startersOf = new Map<unknown, string[]>()
  const writing = new Set<string>()
  for (const { row, operations } of parts)
    for (const [, { type, options }] of operations) {
      if (Object.hasOwn(types, type) && types[type]?.kind === 'database') writing.add(row.id)
      if (type !== 'trigger') continue
      const starters = startersOf.get(options.flow)
      if (starters) starters.push(row.id)
      else startersOf.set(options.flow, [row.id])
    }
  // A set takes up what is added while it is walked.
  for (const id of writing) for (const starter of startersOf.get(id) ?? []) writing.add(starter)
  return writing
}

function definitionOf(
  { row, operations }: FlowParts,
  { timeZone, hasCollection }: FlowConversion,
  writes: boolean,
): FlowDefinition | undefined {
  const { id, options, first, report } = row
  const isWebhook = row.trigger === 'webhook'
  const headers = isWebhook ? namedHeaders(row, operations) : []
  const trigger = convertTrigger(row.trigger, {
    options,
    report,
    timeZone,
    hasCollection,
    headers,
    writes,
  })
  if (!trigger) return undefined
  const isInside = 'when' in trigger && trigger.when !== 'after'
  return {
    name: id,
    trigger,
    // The service runs its schedules with all rights, whatever an operation says.
    access: trigger.on === 'schedule' ? 'full' : 'caller',
    // Nothing is repeated there.
    ...(!isInside && { retry: { times: 0 } }),
    ...(first !== undefined && { first }),
    operations: Object.fromEntries(
      operations.map(
        ([
          one,
          {
            type,
            options: { permissions, ...others },
          },
        ]) => [
          one.key,
          {
            type,
            options: others,
            ...(one.resolve !== undefined && { resolve: one.resolve }),
            ...(one.reject !== undefined && { reject: one.reject }),
            ...accessOf(permissions ?? '$trigger', one.key, report),
          } satisfies AnyOperationDefinition,
        ],
      ),
    ),
  }
}

/** Words of the service for rights. Without one they are those of the flow. */
const accessWords: Readonly<Record<string, FlowAccess | undefined>> = {
  '': undefined,
  $trigger: undefined,
  $full: 'full',
  $public: 'nobody',
}
/** Keys of roles. Any other text could be a word for rights here. */
const roleKey = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function accessOf(
  permissions: unknown,
  key: string,
  report: FlowReport,
): Pick<AnyOperationDefinition, 'access'> {
  const isWord = typeof permissions === 'string' && Object.hasOwn(accessWords, permissions)
  if (permissions === '$public')
    report.note('It works with no rights at all; there it has those of the public policy.', key)
  if (typeof permissions === 'string' && (isWord || roleKey.test(permissions))) {
    const access = isWord ? accessWords[permissions] : (permissions.toLowerCase() as FlowAccess) // a name of the host's
    return access === undefined ? {} : { access }
  }
  report.refuse('Its "permissions" are no role.', key)
  return {}
}
