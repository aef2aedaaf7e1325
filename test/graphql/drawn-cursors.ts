// The cursors of a drawn document, read from the lists that they are of, and the document with them.
import { isRecord } from '../../src/values/guards.ts'
import type { DocumentDraw } from './random-documents.ts'
import { argumentsText, type DrawnCursor } from './random-lists.ts'

type Values = Readonly<Record<string, unknown>>

interface Asked {
  readonly query: string
  readonly variables: Values
}

/** The requests of a drawn document. `ask` answers a document by its data, or by nothing where it is refused. */
export async function requestsOf(
  draw: DocumentDraw,
  document: string,
  ask: (query: string) => Promise<unknown>,
): Promise<readonly [Asked, Asked]> {
  const held: Record<string, string> = {}
  const left: Record<string, string> = {}
  let query = document
  for (const cursor of draw.cursors) {
    const token = await tokenOf(cursor, ask)
    if (cursor.isLiteral) query = query.replace(`$${cursor.name})`, `${JSON.stringify(token ?? null)})`)
    else if (token !== undefined) held[cursor.name] = token
    if (!cursor.isLiteral && !cursor.isLeftOut && token !== undefined) left[cursor.name] = token
  }
  return [
    { query, variables: { ...held, n: 1, skip: true } },
    { query, variables: { ...left, n: 3, skip: false } },
  ]
}

/** Returns a cursor of a list. Undefined if it is empty, or refused. */
async function tokenOf(
  { list: { field, parent }, query, pick }: DrawnCursor,
  ask: (query: string) => Promise<unknown>,
): Promise<string | undefined> {
  const list = `${field}${argumentsText({ ...query, limit: -1 })} { _cursor }`
  const found = cursorsIn(await ask(parent ? `{ ${parent} { ${list} } }` : `{ ${list} }`))
  return found[pick % found.length]
}

function cursorsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(cursorsIn)
  if (!isRecord(value)) return []
  const { _cursor: token, ...others } = value
  return typeof token === 'string' ? [token] : Object.values(others).flatMap(cursorsIn)
}
