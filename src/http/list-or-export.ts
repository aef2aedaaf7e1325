import type { Engine } from '../engine/engine.ts'
import { contentDisposition } from '../export/content-disposition.ts'
import { exportItems } from '../export/export-items.ts'
import { listItemsJson } from '../items/read/list-json.ts'
import type { ParsedQuery } from '../query/types.ts'
import { type Incoming, json, type Outgoing } from './messages.ts'

/** Returns the items of a query: as JSON, or in a file if the query asks for an export. */
export async function listOrExport(
  engine: Engine,
  query: ParsedQuery,
  incoming: Incoming,
): Promise<Outgoing> {
  if (query.export !== undefined) return exportFile(engine, query, query.export, incoming)
  return json(await listItemsJson(engine, incoming.collection, query, incoming.options))
}

async function exportFile(
  engine: Engine,
  query: ParsedQuery,
  format: NonNullable<ParsedQuery['export']>,
  { method, collection, options }: Incoming,
): Promise<Outgoing> {
  const { body, type, filename, truncated } = await exportItems(engine, collection, query, format, options)
  const headers = {
    'content-type': type,
    'content-disposition': contentDisposition(filename),
    'x-content-type-options': 'nosniff',
    ...(truncated && { 'x-truncated': 'true' }),
  }
  if (method !== 'HEAD') return { status: 200, headers, body }
  await body.cancel()
  return { status: 200, headers }
}
