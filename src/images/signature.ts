import type { Format } from './image-formats.ts'

/** The number of bytes of a file that its format is recognized by. */
export const signatureLength = 64

/** Detects the format of a file by its first bytes. Names and content types are ignored: clients can write anything there. */
export function formatOfContent(head: Uint8Array): Format | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, signatureLength)).toString(
    'latin1',
  )
  return signatures.find(([, isOne]) => isOne(text))?.[0]
}

const signatures: readonly (readonly [Format, (text: string) => boolean])[] = [
  ['jpg', (text) => text.startsWith('\xff\xd8\xff')],
  ['png', (text) => text.startsWith('\x89PNG\r\n\x1a\n')],
  ['gif', (text) => /^GIF8[79]a/.test(text)],
  ['webp', (text) => /^RIFF[\s\S]{4}WEBPVP8[ LX]/.test(text)],
  ['tiff', (text) => /^(?:II[*+]\0|MM\0[*+])/.test(text)],
  ['avif', isAvif],
]

/** True for an ISO file whose brands name avif. HEIC, a relative that needs licences, is none. */
function isAvif(text: string): boolean {
  if (text.slice(4, 8) !== 'ftyp') return false
  const end = Math.min(text.length, Buffer.from(text.slice(0, 4), 'latin1').readUInt32BE())
  const brands = [text.slice(8, 12), ...(text.slice(16, end).match(/[\s\S]{4}/g) ?? [])]
  return brands.includes('avif') || brands.includes('avis')
}
