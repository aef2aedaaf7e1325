// The collections of flows: their runs, the steps of these, and the definitions by which they run.
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import type { SchemaDefinition } from './definition.ts'
import { link } from './link.ts'
import { type Collection, isStored, type Schema, type StoredField } from './model.ts'
import { describedCollection, lacking, type OwnNames, ownNames, ownRunNames } from './own.ts'

/** Names of the collections of flows. */
export interface RunNames {
  /** Names of the collection of runs. By default `quernel_runs`. */
  readonly runs?: OwnNames
  /** Names of the collection of steps. By default `quernel_steps`. */
  readonly steps?: OwnNames
  /** Names of the collection of definitions. By default `quernel_flows`. */
  readonly definitions?: OwnNames
}

const runNames = optionNames<RunNames>({ runs: anything, steps: anything, definitions: anything })

/** The collections of flows. */
export interface OwnRuns {
  readonly runs: Collection
  readonly steps: Collection
  readonly definitions: Collection
}

const text = { type: 'string' } as const
const textOrNull = { type: 'string', nullable: true } as const
const number = { type: 'integer' } as const
const json = { type: 'json', nullable: true } as const
// As numbers, by which databases compare them with their own time.
const moment = { type: 'timestamp', storage: 'milliseconds' } as const
const momentOrNull = { ...moment, nullable: true } as const

/** The collections of runs, steps and definitions of flows, for a schema with relations to them. Fields may be added, and get other columns.
 *  @example const people = defineSchema({
 *    ...runDefinitions,
 *    orders: {
 *      fields: { id: { type: 'integer', key: true }, run: { type: 'm2o', to: 'quernel_runs', nullable: true } },
 *    },
 *  }) */
export const runDefinitions = {
  quernel_runs: {
    fields: {
      id: { type: 'uuid', key: true },
      number: { type: 'integer', wide: true },
      flow: text,
      definition: text,
      state: text,
      waits: textOrNull,
      trigger: { type: 'json' },
      user: textOrNull,
      role: textOrNull,
      access: text,
      origin: json,
      result: json,
      error: json,
      progress: json,
      due: moment,
      lease: momentOrNull,
      token: number,
      deaths: number,
      attempt: number,
      lane: textOrNull,
      parent: { type: 'uuid', nullable: true },
      depth: number,
      tick: momentOrNull,
      request: textOrNull,
      body: textOrNull,
      created: moment,
      started: momentOrNull,
      ended: momentOrNull,
      steps: { type: 'o2m', from: 'quernel_steps.run', sort: 'number' },
    },
  },
  quernel_steps: {
    fields: {
      id: { type: 'integer', wide: true, key: true },
      run: { type: 'm2o', to: 'quernel_runs' },
      number: number,
      operation: text,
      status: text,
      options: json,
      result: json,
      error: json,
      attempt: number,
      started: moment,
      ended: moment,
    },
  },
  quernel_flows: {
    fields: {
      hash: { type: 'string', key: true },
      flow: text,
      definition: json,
      tick: momentOrNull,
      created: moment,
    },
  },
} as const satisfies SchemaDefinition

const [ofRuns, ofSteps, ofDefinitions] = ownRunNames
const usual = { runs: ofRuns, steps: ofSteps, definitions: ofDefinitions } as const
type Part = keyof typeof usual
const parts = Object.keys(usual) as readonly Part[]

/** The collections of flows: the host's, if the schema defines them. */
export function runCollections(schema: Schema, names: RunNames): OwnRuns {
  checkOptions(names, runNames, ['flows'])
  for (const part of parts) checkOptions(names[part] ?? {}, ownNames, ['flows', part])
  const own = ownOf(names)
  const described = (part: Part) => describedAs(part, own[part], schema, names)
  const [runs, steps] = [described('runs'), described('steps')]
  if (!runs !== !steps) throw incomplete(runs ? 'steps' : 'runs', names)
  return {
    runs: runs ?? own.runs,
    steps: steps ?? own.steps,
    definitions: described('definitions') ?? own.definitions,
  }
}

/** The collections as the engine describes them, under the names that they shall have. */
function ownOf(names: RunNames): OwnRuns {
  const nameOf = (part: Part) => names[part]?.collection ?? usual[part]
  const tableOf = (part: Part) => names[part]?.table ?? nameOf(part)
  const { quernel_runs: runs, quernel_steps: steps, quernel_flows: definitions } = runDefinitions
  const { collections } = link({
    [nameOf('runs')]: {
      table: tableOf('runs'),
      fields: { ...runs.fields, steps: { ...runs.fields.steps, from: `${nameOf('steps')}.run` } },
    },
    [nameOf('steps')]: {
      table: tableOf('steps'),
      fields: { ...steps.fields, run: { ...steps.fields.run, to: nameOf('runs') } },
    },
    [nameOf('definitions')]: { table: tableOf('definitions'), ...definitions },
  })
  const found = (part: Part): Collection => {
    const collection = collections.get(nameOf(part))
    if (collection && collections.size === parts.length) return collection
    throw fault('INVALID_OPTIONS', 'Runs, steps and definitions of flows need a collection each.', {
      path: ['flows'],
    })
  }
  return { runs: found('runs'), steps: found('steps'), definitions: found('definitions') }
}

function describedAs(part: Part, own: Collection, schema: Schema, names: RunNames): Collection | undefined {
  const stored = [...own.fields.values()].filter(isStored)
  const path = ['flows', part]
  const needed = stored.map(({ name }) => name)
  const described = describedCollection(schema, { name: usual[part], path, needed }, names[part])
  const unlike = described && stored.find((field) => !isAlike(described.fields.get(field.name), field))
  if (unlike) throw lacking(described.name, unlike.name, path)
  return described
}

/** True if a field stores what the engine's own does: statements of the engine write it. */
const isAlike = (field: ReturnType<Collection['fields']['get']>, own: StoredField): boolean =>
  field !== undefined &&
  isStored(field) &&
  field.isKey === own.isKey &&
  field.value.family === own.value.family &&
  field.value.storage === own.value.storage

const incomplete = (part: Part, names: RunNames) =>
  fault(
    'INVALID_OPTIONS',
    `The schema describes runs or steps of flows, and not ${quote(names[part]?.collection ?? usual[part])}.`,
    { path: ['flows', part], hint: 'Describe both, as runDefinitions does, or none of them.' },
  )
