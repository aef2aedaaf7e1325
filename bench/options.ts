import { parseArgs } from 'node:util'
import {
  type AssetWorkload,
  assetWorkloads,
  type DocumentWorkload,
  documentWorkloads,
  type FileWorkload,
  fileWorkloads,
  type GrowthWorkload,
  growthWorkloads,
  type IntrospectionWorkload,
  introspectionWorkloads,
  type MillionWorkload,
  millionWorkloads,
  type RealtimeWorkload,
  realtimeWorkloads,
  type ServedWorkload,
  servedWorkloads,
  type WorkloadName,
  type WriteWorkload,
  workloads,
  writeWorkloads,
} from './workloads.ts'

export interface Options {
  readonly databases: readonly DatabaseName[]
  readonly workloads: readonly WorkloadName[]
  readonly writes: readonly WriteWorkload[]
  readonly served: readonly ServedWorkload[]
  readonly documents: readonly DocumentWorkload[]
  readonly assets: readonly AssetWorkload[]
  readonly files: readonly FileWorkload[]
  readonly introspection: readonly IntrospectionWorkload[]
  readonly million: readonly MillionWorkload[]
  readonly growth: readonly GrowthWorkload[]
  readonly realtime: readonly RealtimeWorkload[]
  /** The parties that take part beside SQL by hand, such as `quernel`; undefined = all. */
  readonly parties: readonly string[] | undefined
  /** True if nothing was singled out. */
  readonly isWhole: boolean
  /** Number of articles; undefined = all. */
  readonly rows: number | undefined
  /** Seconds that one contest lasts. */
  readonly seconds: number
  readonly check: boolean
  readonly write: boolean
}

export const databaseNames = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof databaseNames)[number]
export const databaseTitles = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const satisfies Record<
  DatabaseName,
  string
>

const usage =
  'npm run bench -- [--only=W3,W6] [--database=sqlite|postgres] [--party=quernel,kysely] [--quick] [--rows=10000] [--check] [--write]'

export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string' },
      database: { type: 'string' },
      party: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  const isWhole = values.only === undefined && values.database === undefined && values.party === undefined
  const rows = values.rows === undefined ? undefined : Number(values.rows)
  if (rows !== undefined && !(rows >= 5_000 && rows % 1_000 === 0)) {
    throw new Error(`Rows are thousands, 5000 or more.\n${usage}`)
  }
  if (values.write && (!isWhole || values.quick || rows !== undefined)) {
    throw new Error(`Only a whole run is written down.\n${usage}`)
  }
  return {
    databases: chosen(values.database, databaseNames),
    // The keys of the tables are these names.
    workloads: among(values.only, Object.keys(workloads) as WorkloadName[]),
    writes: among(values.only, Object.keys(writeWorkloads) as WriteWorkload[]),
    served: among(values.only, Object.keys(servedWorkloads) as ServedWorkload[]),
    documents: among(values.only, Object.keys(documentWorkloads) as DocumentWorkload[]),
    // They have nothing to do with a database, and are left out where one is singled out, unless they are named.
    assets:
      values.database === undefined || values.only !== undefined
        ? among(values.only, Object.keys(assetWorkloads) as AssetWorkload[])
        : [],
    files:
      values.database === undefined || values.only !== undefined
        ? among(values.only, Object.keys(fileWorkloads) as FileWorkload[])
        : [],
    introspection: among(values.only, Object.keys(introspectionWorkloads) as IntrospectionWorkload[]),
    million: among(values.only, Object.keys(millionWorkloads) as MillionWorkload[]),
    growth: among(values.only, Object.keys(growthWorkloads) as GrowthWorkload[]),
    realtime: among(values.only, Object.keys(realtimeWorkloads) as RealtimeWorkload[]),
    parties: values.party?.split(','),
    isWhole,
    rows,
    seconds: values.quick ? 1 : 8,
    check: values.check,
    write: values.write,
  }
}

/** Those names of a table that an option lists. A name that is in no table is a mistake. */
function among<Name extends string>(list: string | undefined, names: readonly Name[]): readonly Name[] {
  if (list !== undefined)
    chosen(
      list,
      [
        workloads,
        writeWorkloads,
        servedWorkloads,
        documentWorkloads,
        assetWorkloads,
        fileWorkloads,
        introspectionWorkloads,
        millionWorkloads,
        growthWorkloads,
        realtimeWorkloads,
      ].flatMap(Object.keys),
    )
  return names.filter((name) => list === undefined || list.split(',').includes(name))
}

function chosen<Name extends string>(list: string | undefined, names: readonly Name[]): readonly Name[] {
  if (list === undefined) return names
  return list.split(',').map((word) => {
    const name = names.find((name) => name === word)
    if (name === undefined) throw new Error(`There is no "${word}", only ${names.join(', ')}.\n${usage}`)
    return name
  })
}
