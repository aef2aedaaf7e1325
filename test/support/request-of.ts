/** A request to a handler. What it brings is JSON.
 *  @example await handler(requestOf('POST', '/items/notes', { title: 'x' })) */
export const requestOf = (
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Request =>
  new Request(`http://localhost${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
