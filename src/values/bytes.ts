// Bytes and the texts that stand for them. Filters run in browsers, too, so nothing here is Node's.

/** Conversions of bytes that an engine on Node has faster ones for. */
export interface ByteCodec {
  readonly toBase64: (bytes: Uint8Array) => string
  readonly fromBase64: (text: string) => Uint8Array
  readonly toHex: (bytes: Uint8Array) => string
  readonly fromHex: (digits: string) => Uint8Array
}

export const portableCodec: ByteCodec = {
  toBase64: (bytes) => btoa(unitsOf(bytes)),
  fromBase64: (text) => Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0)),
  toHex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  fromHex: (digits) =>
    Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
      Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
    ),
}

function unitsOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += maxArguments)
    text += String.fromCharCode(...bytes.subarray(at, at + maxArguments))
  return text
}

// Every argument of a call takes room on the stack.
const maxArguments = 8192

let codec = portableCodec

/** Replaces the conversions by faster ones with the same results. */
export function convertBytesBy(faster: ByteCodec): void {
  codec = faster
}

export const toBase64: ByteCodec['toBase64'] = (bytes) => codec.toBase64(bytes)
export const fromBase64: ByteCodec['fromBase64'] = (text) => codec.fromBase64(text)
export const toHex: ByteCodec['toHex'] = (bytes) => codec.toHex(bytes)
export const fromHex: ByteCodec['fromHex'] = (digits) => codec.fromHex(digits)

export const utf8Of = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The text that bytes spell in UTF-8. What spells none becomes U+FFFD. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
