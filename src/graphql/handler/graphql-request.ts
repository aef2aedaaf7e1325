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
  const { extensions } = body
  if (extensions !== undefined && extensions !== null && !isRecord(extensions))
    throw fault('INVALID_PAYLOAD', `"extensions" is an object, not ${quote(extensions)}.`, {
      path: ['extensions'],
    })
  return body
}

function inAddress(queryString: string): ReceivedRequest {
  const given = new URLSearchParams(queryString)
  const variables = given.get('variables')
  return {
    query: given.get('query'),
    documentId: given.get('documentId'),
    variables: variables === null ? undefined : parsed(variables),
    operationName: given.get('operationName'),
  }
}

function parsed(variables: string): unknown {
  try {
    return JSON.parse(variables)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', '"variables" is not valid JSON.', { path: ['variables'], cause })
  }
}
