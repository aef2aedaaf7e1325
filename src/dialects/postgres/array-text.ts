import { toHex } from '../../values/bytes.ts'
import { isBytes } from '../../values/guards.ts'

/** A list in the server's own notation: `{"a","b",NULL}`. As a text, every driver passes it on unchanged. */
export const arrayText = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

function element(value: unknown): string {
  if (value === null) return 'NULL'
  const text = isBytes(value) ? `\\x${toHex(value)}` : String(value)
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
