// The service's flows as it runs them: each with the operations to which its first one leads.
import { copyJson, isNoJson, maxChain } from '../../flows/chain/chain.ts'
import { isRecord } from '../../values/guards.ts'
import { groupBy } from '../../writes/context/group-by.ts'
import { jsonIn, type ServiceRow, textIn } from '../read-cells.ts'
import type { Service } from '../service.ts'
import { FlowReport } from './flow-report.ts'

/** Options as a row has them, without those that are null. */
export type WrittenOptions = Readonly<Record<string, unknown>>

export interface CmsOperation {
  readonly id: string
  readonly key: string
  readonly type: string
  readonly options: WrittenOptions
  /** Keys of the operations that follow it. */
  readonly resolve: string | undefined
  readonly reject: string | undefined
}

export interface CmsFlow {
  readonly id: string
  readonly trigger: string
  readonly options: WrittenOptions
  readonly first: string | undefined
  readonly operations: readonly CmsOperation[]
  readonly report: FlowReport
}

/** Reads the flows of the service in the order of their keys, and all that is to be reported of them. */
export async function readFlowRows({ rowsOf }: Service): Promise<readonly CmsFlow[]> {
  const flows = await rowsOf('directus_flows')
  const operations = groupBy(await rowsOf('directus_operations'), (row) => textIn(row, 'flow') ?? '')
  return flows
    .map((row) => linked(row, operations.get(textIn(row, 'id') ?? '') ?? []))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

function linked(row: ServiceRow, rows: readonly ServiceRow[]): CmsFlow {
  const id = textIn(row, 'id') ?? ''
  const report = new FlowReport(id)
  const status = textIn(row, 'status') ?? 'active'
  if (status !== 'active') report.refuse('It is not active.')
  const trigger = textIn(row, 'trigger')
  if (trigger === undefined) report.refuse('It has no trigger.')
  const flow = {
    id,
    trigger: trigger ?? '',
    options: report.isLeftOut ? {} : optionsIn(row, report, undefined),
    report,
  }
  const none = { ...flow, first: undefined, operations: [] }
  if (report.isLeftOut) return none
  const byId = new Map(rows.map((one) => [textIn(one, 'id'), one]))
  const first = byId.get(textIn(row, 'operation') ?? '')
  const reached = first ? reachedFrom(first, byId) : new Set<ServiceRow>()
  for (const one of rows)
    if (!reached.has(one)) report.note('Nothing leads to it, so it is left out.', keyIn(one))
  const keys = new Set<string>()
  for (const one of reached) {
    const key = keyIn(one)
    if (keys.has(key)) report.refuse('Two operations have this key.', key)
    keys.add(key)
  }
  if (!first || report.isLeftOut) return none
  return {
    ...flow,
    first: keyIn(first),
    operations: [...reached].map((one) => operationOf(one, byId, report)),
  }
}

const keyIn = (row: ServiceRow): string => textIn(row, 'key') ?? ''

type ById = ReadonlyMap<string | undefined, ServiceRow>

/** Returns the operations to which one leads, with it. Circles are found by the check of the definition. */
function reachedFrom(first: ServiceRow, byId: ById): ReadonlySet<ServiceRow> {
  const reached = new Set([first])
  // A set takes up what is added while it is walked.
  for (const row of reached)
    for (const name of ['resolve', 'reject']) {
      const next = byId.get(textIn(row, name) ?? '')
      if (next) reached.add(next)
    }
  return reached
}

function operationOf(row: ServiceRow, byId: ById, report: FlowReport): CmsOperation {
  const key = keyIn(row)
  const target = (name: 'resolve' | 'reject') => {
    const id = textIn(row, name)
    const next = id === undefined ? undefined : byId.get(id)
    if (id !== undefined && !next)
      report.note(`"${name}" leads to an operation that is not there, so the flow ends here.`, key)
    return next && keyIn(next)
  }
  return {
    id: textIn(row, 'id') ?? '',
    key,
    type: textIn(row, 'type') ?? '',
    options: optionsIn(row, report, key),
    resolve: target('resolve'),
    reject: target('reject'),
  }
}

/** Options that are null are those that a form has left empty. */
function optionsIn(row: ServiceRow, report: FlowReport, key: string | undefined): WrittenOptions {
  // Copied, because a document may nest deeper than a call can follow.
  const copy = copyJson(jsonIn(row, 'options') ?? {}, maxChain)
  if (isNoJson(copy)) report.refuse(`What its options hold ${copy.says}.`, key)
  else if (isRecord(copy.value))
    return Object.fromEntries(Object.entries(copy.value).filter(([, value]) => value !== null))
  else report.refuse('Its options are no object.', key)
  return {}
}
