import type { HostDatabase } from '../dialects/host.ts'
import { anything, checkOptions, optionNames, text } from '../errors/check-options.ts'
import type { FlowDefinition } from '../flows/definition.ts'
import { checkNamedOptions, type FlowsOptions, sharedKinds } from '../flows/flow-options.ts'
import type { OperationTypes } from '../flows/operation-type.ts'
import { operationTypes } from '../flows/operations/operation-types.ts'
import type { CronClass } from '../flows/outside/ticks.ts'
import type { Schema } from '../schema/model.ts'
import { convertFlows } from './flows/convert-flows.ts'
import { type CmsFlowRemark, cmsFlowNeeds } from './flows/flow-report.ts'
import { readFlowRows } from './flows/flow-rows.ts'
import { soundFlows } from './flows/valid-flows.ts'
import { readCmsSchema } from './read-cms-schema.ts'
import { type CmsOptions, cmsKinds, serviceOf } from './service.ts'

/** Options of `readCmsFlows`: the service's database, and what `createFlows` will be given. */
export interface CmsFlowsOptions extends CmsOptions {
  /** Schema of the engine of the flows. By default that of `readCmsSchema`, which is read again. */
  readonly schema?: Schema
  /** Types of operations. By default those of the package: `{ ...operationTypes, mine }` has more. */
  readonly operationTypes?: OperationTypes
  /** Texts of the secrets that flows name as `$env`. */
  readonly secrets?: Readonly<Record<string, string>>
  /** The class `Cron` of the package croner. Without it no schedule can be read, and flows that have one are left out. */
  readonly cron?: CronClass
  /** The package jose. As of the three options below: without it the report has the flows for which `createFlows` needs it. */
  readonly jwt?: FlowsOptions['jwt']
  /** Sends messages. */
  readonly send?: FlowsOptions['send']
  /** Runs scripts. */
  readonly script?: FlowsOptions['script']
  /** Returns the rights of callers who have gone, and of roles. */
  readonly access?: FlowsOptions['access']
  /** Hosts that values may name in the addresses of `request`. By default none. */
  readonly hosts?: readonly string[]
  /** The time zone of the service's schedules. By default `UTC`. */
  readonly timeZone?: string
}

const flowsOptions = optionNames<CmsFlowsOptions>({
  ...cmsKinds,
  ...sharedKinds,
  schema: anything,
  timeZone: text,
})

/** Flows of the service as definitions. */
export interface CmsFlows {
  /** Definitions for `createFlows` of an engine that keeps runs, so one with `flows: {}`. Their names are the keys of the flows, so that
   *  addresses stay. */
  readonly flows: readonly FlowDefinition[]
  /** Texts of secrets for `createFlows`: those of the options, and keys that stood in flows. */
  readonly secrets: Readonly<Record<string, string>>
  /** Differences from the service, one at a time, with the flows that are left out, and the options that `createFlows` needs besides. */
  readonly report: readonly CmsFlowRemark[]
}

/** Reads the flows from a database of the reference service, as definitions for `createFlows`. It changes nothing there.
 *  @example const service = new Kysely({ dialect: sqliteDialect({ database: new Database(process.env.CMS_DATABASE) }) })
 *  const { flows, secrets, report } = await readCmsFlows(service) // for createFlows
 *  report // → [] */
export async function readCmsFlows(db: HostDatabase, options: CmsFlowsOptions = {}): Promise<CmsFlows> {
  checkOptions(options, flowsOptions)
  checkNamedOptions(options)
  const { dialect, dbSchema, secrets = {}, hosts = [], timeZone = 'UTC', cron } = options
  const place = { ...(dialect !== undefined && { dialect }), ...(dbSchema !== undefined && { dbSchema }) }
  const rows = await readFlowRows(serviceOf(db, place))
  const { collections } = options.schema ?? (await readCmsSchema(db, place))
  const types = options.operationTypes ?? operationTypes
  const { drafts, keys } = convertFlows(rows, {
    types,
    timeZone,
    hasCollection: (name) => collections.has(name),
  })
  const lacking = new Set(cmsFlowNeeds.filter((name) => options[name] === undefined))
  const sound = soundFlows(drafts, lacking, {
    types,
    collections: new Set(collections.keys()),
    // A text of the host's takes the place of a key that was found: so a key is changed.
    secrets: new Map([
      ...[...keys].map(([name, { secret }]) => [name, secret] as const),
      ...Object.entries(secrets),
    ]),
    cron,
    hosts,
  })
  const kept = [...keys].filter(([, { report }]) => !report.isLeftOut)
  return Object.freeze({
    flows: sound.map(({ definition }) => definition),
    secrets: { ...Object.fromEntries(kept.map(([name, { secret }]) => [name, secret])), ...secrets },
    report: rows.flatMap(({ report }) => report.remarks),
  })
}
