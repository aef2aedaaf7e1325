import { fault, quote } from '../../errors/errors.ts'
import { type Soon, soon } from '../../execution/soon.ts'
import { isRecord } from '../../values/guards.ts'

export interface ReceivedRequest {
  readonly query?: unknown
  readonly documentId?: unknown
  readonly variables?: unknown
  readonly operationName?: unknown
  readonly extensions?: unknown
}

/** A request whose document is known as a text. */
export interface CheckedRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  readonly reportsTruncated: boolean
}

/** Returns the text of a document with an id; undefined if there is none. */
export type GraphQLDocuments = (id: string) => string | undefined | Promise<string | undefined>

/** Options for documents that the host keeps. */
export interface DocumentOptions {
  /** Documents that are known, by id: for requests with `documentId` in the place of `query`. */
  readonly documents?: GraphQLDocuments | undefined
  /** True to answer no other documents. */
  readonly onlyDocuments?: boolean | undefined
}

/** Refuses options by which nothing could be answered. */
export function checkDocumentOptions({ documents, onlyDocuments }: DocumentOptions): void {
  if (onlyDocuments && !documents)
    throw fault('INVALID_OPTIONS', '"onlyDocuments" needs "documents", which knows them.', {
      path: ['onlyDocuments'],
      hint: 'documents: (id) => known.get(id)',
    })
}

export function checkedRequest(
  { query, documentId, variables, operationName, extensions }: ReceivedRequest,
  options: DocumentOptions,
): Soon<CheckedRequest> {
  if (!isAbsent(variables) && !isRecord(variables)) throw wrong('variables', 'an object', variables)
  if (!isAbsent(operationName) && typeof operationName !== 'string')
    throw wrong('operationName', 'a text', operationName)
  const text = isAbsent(documentId) ? inputText(query, options) : knownText(documentId, query, options)
  return soon(text, (query) => ({
    query,
    variables: variables ?? {},
    operationName: operationName ?? undefined,
    reportsTruncated: isTruncatedRequested(extensions),
  }))
}

/** Clients send extensions of their own, which are left alone. */
function isTruncatedRequested(extensions: unknown): boolean {
  if (isAbsent(extensions)) return false
  if (!isRecord(extensions)) throw wrong('extensions', 'an object', extensions)
  const { truncated = false } = extensions
  if (typeof truncated === 'boolean') return truncated
  throw wrong('extensions.truncated', 'true or false', truncated)
}

const isAbsent = (input: unknown): input is undefined | null => input === undefined || input === null

function inputText(query: unknown, { onlyDocuments = false }: DocumentOptions): string {
  if (onlyDocuments)
    throw fault(
      'INVALID_PAYLOAD',
      'Only documents that are known are answered: a request names one by its "documentId".',
      {
        path: [isAbsent(query) ? 'documentId' : 'query'],
      },
    )
  if (typeof query === 'string' && query !== '') return query
  throw fault('INVALID_PAYLOAD', 'A request of GraphQL has a document, as the text "query".', {
    path: ['query'],
  })
}

async function knownText(id: unknown, query: unknown, { documents }: DocumentOptions): Promise<string> {
  if (typeof id !== 'string') throw wrong('documentId', 'a text', id)
  if (!isAbsent(query))
    throw fault('INVALID_PAYLOAD', 'A request has either "query" or "documentId".', { path: ['documentId'] })
  const found: unknown = await documents?.(id)
  if (typeof found === 'string') return found
  if (isAbsent(found))
    throw fault('INVALID_PAYLOAD', `There is no document with the id ${quote(id)}.`, { path: ['documentId'] })
  throw fault('INVALID_OPTIONS', `"documents" returns a text or undefined, not ${quote(found)}.`, {
    path: ['documents'],
  })
}

const wrong = (name: string, what: string, input: unknown) =>
  fault('INVALID_PAYLOAD', `"${name}" is ${what}, not ${quote(input)}.`, { path: [name] })
