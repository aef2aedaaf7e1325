// Requests of the page. All of them go to its own address, with the token that the user has typed.

export interface SentRequest {
  readonly query: string
  /** An object of JSON, as it was written; empty for none. */
  readonly variables: string
  readonly operation: string
  readonly token: string
  readonly signal: AbortSignal
}

export interface ReceivedAnswer {
  readonly status: number
  readonly text: string
  readonly isJson: boolean
  readonly milliseconds: number
  readonly bytes: number
}

/** Sends a request, and returns its answer, whatever its status is. */
export async function send({
  query,
  variables,
  operation,
  token,
  signal,
}: SentRequest): Promise<ReceivedAnswer> {
  const start = performance.now()
  // With its origin: of a path such as "//graphql" alone, a browser would take the first part for another server.
  const response = await fetch(location.origin + location.pathname, {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    body: bodyOf({ query, variables, operation }),
    cache: 'no-store',
    redirect: 'error',
    signal,
  })
  const bytes = await response.arrayBuffer()
  return {
    status: response.status,
    text: new TextDecoder().decode(bytes),
    isJson: /json/.test(response.headers.get('content-type') ?? ''),
    milliseconds: performance.now() - start,
    bytes: bytes.byteLength,
  }
}

/** Variables are passed on as they were written, with all digits of their numbers. */
function bodyOf({
  query,
  variables,
  operation,
}: Pick<SentRequest, 'query' | 'variables' | 'operation'>): string {
  const members = [
    `"query":${JSON.stringify(query)}`,
    ...(variables.trim() === '' ? [] : [`"variables":${variables}`]),
    ...(operation === '' ? [] : [`"operationName":${JSON.stringify(operation)}`]),
  ]
  return `{${members.join(',')}}`
}
