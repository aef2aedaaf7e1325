// Schemas of payloads: the engine's own check of an item, for each of its fields and for all of them together.
import * as z from 'zod'
import { checkAccess } from '../access/check-access.ts'
import { checkOptions } from '../errors/check-options.ts'
import type { EngineError } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { type FilterContext, filterContextOptions } from '../filters/filter-source.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { type CheckedItem, checkPayload } from '../plan/write/check-payload.ts'
import { needsValue } from '../plan/write/defaults.ts'
import { inputNameOf, inputSchemaBy } from '../schema/input-schema.ts'
import { type Collection, type Field, isStored, isToMany, type Schema } from '../schema/model.ts'
import { orNull } from '../schema/output-schema.ts'
import { familyRow } from '../types/families.ts'
import type { JsonSchema } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import { utc } from '../values/zone.ts'

interface PayloadUse {
  readonly schema: Schema
  readonly collection: Collection
  readonly action: 'create' | 'update'
  readonly context: FilterContext
}

export function payloadSchema(use: PayloadUse): z.ZodType {
  const { collection, action, context } = use
  checkOptions(context, filterContextOptions)
  if (context.access !== undefined) checkAccess(context.access)
  const fields = [...collection.fields.values()]
  const shape = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, use)]))
  const required = action === 'create' ? fields.filter(isRequired).map(({ name }) => name) : []
  return z
    .looseObject(shape)
    .superRefine((payload, found) => {
      const known = new Set(found.issues.map(placeAndText))
      for (const issue of issuesIn(problemsOf(payload, use)))
        if (!known.has(placeAndText(issue))) found.addIssue(issue)
    })
    .meta({
      additionalProperties: false,
      ...(required.length > 0 && { required }),
      ...(collection.note !== undefined && { description: collection.note }),
    })
}

const isRequired = (field: Field): boolean =>
  isStored(field) &&
  needsValue(field) &&
  field.special.length === 0 &&
  (field.default ?? undefined) === undefined

/** Returns the schema of one field. Whether it may be absent is checked with the others. */
function fieldSchema(field: Field, use: PayloadUse): z.ZodType {
  return z
    .unknown()
    .superRefine((value, found) => {
      if (value === undefined || field.kind === 'any') return
      const own = problemsOf({ [field.name]: value }, use).filter(
        ({ path: [name] = [] }) => name === field.name,
      )
      for (const { path, ...issue } of issuesIn(own)) found.addIssue({ ...issue, path: path.slice(1) })
    })
    .optional()
    .meta(describedBy(field))
}

function describedBy(field: Field): JsonSchema {
  const note = field.note === undefined ? {} : { description: field.note }
  if (isToMany(field) || field.kind !== 'scalar') return note
  const value = inputSchemaBy(field.value, givenSchema)
  return { ...(field.isNullable ? orNull(value) : value), ...note }
}

/** Shapes refer to components of a document, which a schema alone has not. */
const givenSchema = (value: ValueType): JsonSchema =>
  value.family === 'geometry' ? {} : (familyRow(value.family).inputSchemas[inputNameOf(value)] ?? {})

function problemsOf(payload: ItemData, { schema, collection, action, context }: PayloadUse) {
  const { access, variables, now = new Date() } = context
  const caller = { ...access, variables: { ...access?.variables, ...variables } }
  const moment = {
    now: typeof now === 'number' ? new Date(now) : now,
    user: access?.user,
    newId: () => anyId,
  }
  const circumstances = { now: moment.now, caller }
  const problems = new Problems('FAILED_VALIDATION')
  const item: CheckedItem = { collection, action: action === 'update' ? 'named' : action, payload, path: [] }
  checkPayload(item, {
    context: { schema, circumstances, setting: { zone: utc, negationMatchesNull: false } },
    moment,
    problems,
  })
  return problems.all
}

/** Stands for a key that the engine would make. */
const anyId = '00000000-0000-4000-8000-000000000000'

/** An error as an issue of zod, with the code and the details of the engine's error beside it. */
const issuesIn = (problems: readonly EngineError[]) =>
  problems.map(({ code, message, path = [], hint, extensions }) => ({
    code: 'custom' as const,
    message,
    path: [...path],
    params: { ...extensions, code, ...(hint !== undefined && { hint }) },
  }))

const placeAndText = ({
  path,
  message,
}: {
  readonly path?: readonly PropertyKey[] | undefined
  readonly message?: string | undefined
}) => JSON.stringify([path?.map(String), message])
