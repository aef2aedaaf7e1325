// Headers of a part: its name, its file name and its type.
import { fault } from '../../errors/errors.ts'

export interface PartHead {
  readonly name: string
  /** Undefined for a field; empty if no file was chosen. */
  readonly filename: string | undefined
  readonly type: string | undefined
}

const longestName = 200

export function readHead(bytes: Buffer): PartHead {
  const headers = headersIn(bytes.toString('utf8'))
  const encoding = headers.get('content-transfer-encoding')
  if (encoding !== undefined && !/^(binary|[78]bit)$/i.test(encoding))
    throw refused('A part of the form cannot have an encoding: its bytes are sent as they are.')
  const { kind, parameters } = dispositionOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (kind !== 'form-data' || name === undefined || name === '' || name.length > longestName)
    throw refused('Each part of a form has a name: Content-Disposition: form-data; name="…".')
  return { name, filename: parameters.get('filename'), type: headers.get('content-type') }
}

const refused = (message: string) => fault('INVALID_PAYLOAD', message, { path: ['body'] })

function headersIn(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    if (line === '') continue
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw refused('A part of the form has an invalid header.')
    if (headers.has(name.toLowerCase())) throw refused('A part of the form has two headers of the same name.')
    headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}

interface Disposition {
  readonly kind: string
  readonly parameters: ReadonlyMap<string, string>
}

const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))[ \t]*/y

function dispositionOf(text: string): Disposition {
  const [start = ''] = text.split(';', 1)
  const parameters = new Map<string, string>()
  parameter.lastIndex = start.length
  for (let end = start.length; end < text.length; end = parameter.lastIndex) {
    const [, name = '', quoted, plain = ''] = parameter.exec(text) ?? []
    if (name === '' || parameters.has(name.toLowerCase()))
      throw refused('A part of the form has a Content-Disposition that cannot be read.')
    parameters.set(name.toLowerCase(), quoted === undefined ? plain : unescaped(quoted))
  }
  return { kind: start.trim().toLowerCase(), parameters }
}

/** Unescapes a name. Browsers percent-encode quotes and line breaks, and other clients put a backslash before a quote. Any other backslash
 *  is literal. */
const unescaped = (text: string): string =>
  text
    .replaceAll('\\"', '"')
    .replace(/%(22|0A|0D)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
