// Location of a database: the path of a file, or the URL of a server.
import { fileURLToPath } from 'node:url'
import { failure } from './terminal.ts'

type DatabasePlace =
  | { readonly kind: 'file'; readonly path: string; readonly isReadonly: boolean }
  | { readonly kind: 'server'; readonly url: string }

const kinds: readonly { readonly fits: RegExp; readonly read: (text: string) => DatabasePlace }[] = [
  { fits: /^postgres(ql)?:/i, read: (url) => ({ kind: 'server', url }) },
  { fits: /^(file|sqlite):/i, read: readFileUrl },
  // One letter before a colon is a drive of Windows.
  { fits: /^(?![a-z][a-z\d+.-]+:)/i, read: (path) => ({ kind: 'file', path, isReadonly: false }) },
]

/** Reads a path, or a URL.
 *  @example databasePlace('sqlite:shop.db?mode=ro') // → { kind: 'file', path: 'shop.db', isReadonly: true } */
export function databasePlace(text: string): DatabasePlace {
  const kind = kinds.find(({ fits }) => fits.test(text))
  if (kind) return kind.read(text)
  const [scheme = ''] = text.split(':')
  throw failure(
    `There is no driver for ${JSON.stringify(`${scheme}:`)}.`,
    'Give a file of SQLite, or a URL as postgres://….',
  )
}

/** Returns a place that is safe to print: without the password of a URL, and its parameters, which may hold another. */
export function shownPlace(place: string): string {
  const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]+:\/\/)(.*)$/is.exec(place) ?? []
  if (scheme === undefined) return place
  const plain = rest.replace(/[?#].*$/s, '')
  const at = plain.lastIndexOf('@')
  return at < 0
    ? `${scheme}${plain}`
    : `${scheme}${plain.slice(0, at).replace(/:.*$/s, '')}${plain.slice(at)}`
}

/** Reads `file:` and `sqlite:`, with a path of this folder (`sqlite:shop.db`, `sqlite://shop.db`) or an absolute one (`file:///shop.db`). */
function readFileUrl(url: string): DatabasePlace {
  const [, scheme = '', place = '', , parameters = ''] = /^(\w+):([^?]*)(\?(.*))?$/s.exec(url) ?? []
  const isReadonly = readMode(new URLSearchParams(parameters))
  try {
    const isUrl = scheme.toLowerCase() === 'file' && place.startsWith('//')
    const path = isUrl ? fileURLToPath(`file:${place}`) : decodeURIComponent(place.replace(/^\/\//, ''))
    return { kind: 'file', path: path.replace(/^\/(?=[a-z]:)/i, ''), isReadonly }
  } catch (cause) {
    throw failure(`${JSON.stringify(url)} is no URL of a file.`, undefined, cause)
  }
}

const modes: ReadonlyMap<string, boolean> = new Map([
  ['ro', true],
  ['rw', false],
])

/** Reads the only parameter that there is. One that was ignored could mean anything. */
function readMode(parameters: URLSearchParams): boolean {
  let isReadonly = false
  for (const [name, value] of parameters) {
    const mode = name === 'mode' ? modes.get(value) : undefined
    if (mode === undefined)
      throw failure(
        `The URL of a file takes "mode=ro" and "mode=rw", and not ${JSON.stringify(`${name}=${value}`)}.`,
      )
    isReadonly = mode
  }
  return isReadonly
}
