// Reads the request of GraphQL over HTTP: from the body of a POST, or from the address of a GET.
import { fault, quote } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts.ts'
import { isRecord } from '../../values/guards.ts'
import type { ReceivedRequest } from '../answer/checked-request.ts'

/** Returns the request. What it holds is checked where it is answered. */
export async function graphqlRequest({ method, queryString, body }: MountRequest): Promise<ReceivedRequest> {
  return method === 'POST' ? inBody(await body()) : inAddress(queryString)
}

function inBody(body: unknown): ReceivedRequest {
  if (Array.isArray(body))
    throw fault('INVALID_PAYLOAD', 'A request holds one document. Several of them are several requests.')
  if (!isRecord(body)) throw fault('INVALID_PAYLOAD', `A request is an object, not ${quote(body)}.`)
  return body
}

function inAddress(queryString: string): ReceivedRequest {
  const input = new URLSearchParams(queryString)
  return {
    query: input.get('query'),
    documentId: input.get('documentId'),
    variables: parsed('variables', input),
    operationName: input.get('operationName'),
    extensions: parsed('extensions', input),
  }
}

function parsed(name: string, input: URLSearchParams): unknown {
  const text = input.get(name)
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', `"${name}" is not valid JSON.`, { path: [name], cause })
  }
}
