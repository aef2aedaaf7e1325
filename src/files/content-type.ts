// The media type of a file: by its first bytes if they are conclusive, and else by its declared type or its name.

export interface FileKind {
  readonly type: string
  readonly extension: string
  readonly is?: (head: Uint8Array) => boolean
  /** Other types that are stored in such a file, and that its bytes do not distinguish. */
  readonly covers?: RegExp
}

const latin = (head: Uint8Array, from: number, until: number): string =>
  String.fromCharCode(...head.subarray(from, until))

const begins =
  (text: string, at = 0) =>
  (head: Uint8Array): boolean =>
    latin(head, at, at + text.length) === text

const riff = (form: string) => (head: Uint8Array) => begins('RIFF')(head) && begins(form, 8)(head)

/** Matches brands of the ISO format: the major brand, and compatible ones. */
const branded = (brands: RegExp) => (head: Uint8Array) => {
  if (!begins('ftyp', 4)(head)) return false
  const size = ((head[0] ?? 0) << 24) | ((head[1] ?? 0) << 16) | ((head[2] ?? 0) << 8) | (head[3] ?? 0)
  const end = Math.min(Math.max(size, 16), 256, head.length)
  for (let at = 8; at + 4 <= end; at += 4) if (brands.test(latin(head, at, at + 4))) return true
  return false
}

// Two letters are too few to distinguish it from a text.
const isBitmap = (head: Uint8Array): boolean =>
  begins('BM')(head) &&
  [12, 40, 52, 56, 64, 108, 124].includes(head[14] ?? 0) &&
  latin(head, 15, 18) === '\0\0\0'

/** Known kinds of files. The first that matches counts. Those without a test are known by name only. */
export const kinds: readonly FileKind[] = [
  { type: 'image/jpeg', extension: 'jpg', is: begins('\xff\xd8\xff') },
  { type: 'image/png', extension: 'png', is: begins('\x89PNG\r\n\x1a\n') },
  { type: 'image/gif', extension: 'gif', is: (head) => /^GIF8[79]a$/.test(latin(head, 0, 6)) },
  { type: 'image/webp', extension: 'webp', is: riff('WEBP') },
  { type: 'image/tiff', extension: 'tiff', is: (head) => /^(II[*+]\0|MM\0[*+])$/.test(latin(head, 0, 4)) },
  { type: 'image/avif', extension: 'avif', is: branded(/^avi[fs]$/) },
  { type: 'image/heic', extension: 'heic', is: branded(/^(hei[cxms]|hev[cx])$/) },
  { type: 'image/bmp', extension: 'bmp', is: isBitmap },
  { type: 'application/pdf', extension: 'pdf', is: begins('%PDF-') },
  { type: 'audio/mp4', extension: 'm4a', is: branded(/^M4[AB] $/) },
  { type: 'video/quicktime', extension: 'mov', is: branded(/^qt {2}$/) },
  { type: 'video/mp4', extension: 'mp4', is: branded(/^/), covers: /^(audio|video)\// },
  { type: 'video/webm', extension: 'webm', is: begins('\x1aE\xdf\xa3'), covers: /^(audio|video)\// },
  { type: 'audio/ogg', extension: 'ogg', is: begins('OggS'), covers: /^((audio|video)\/|application\/ogg$)/ },
  { type: 'audio/wav', extension: 'wav', is: riff('WAVE'), covers: /^audio\// },
  { type: 'audio/flac', extension: 'flac', is: begins('fLaC') },
  { type: 'audio/mpeg', extension: 'mp3', is: begins('ID3'), covers: /^audio\// },
  { type: 'font/woff', extension: 'woff', is: begins('wOFF') },
  { type: 'font/woff2', extension: 'woff2', is: begins('wOF2') },
  { type: 'application/zip', extension: 'zip', is: begins('PK\x03\x04'), covers: /^application\// },
  { type: 'application/gzip', extension: 'gz', is: begins('\x1f\x8b'), covers: /^application\// },
  { type: 'text/plain', extension: 'txt' },
  { type: 'text/csv', extension: 'csv' },
  { type: 'text/markdown', extension: 'md' },
  { type: 'text/html', extension: 'html' },
  { type: 'text/css', extension: 'css' },
  { type: 'text/javascript', extension: 'js' },
  { type: 'application/json', extension: 'json' },
  { type: 'application/xml', extension: 'xml' },
  { type: 'image/svg+xml', extension: 'svg' },
]

const byType = new Map(kinds.map((kind) => [kind.type, kind]))
const byExtension = new Map(kinds.map((kind) => [kind.extension, kind]))
const otherNames = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['jpeg', 'jpg'],
  ['tif', 'tiff'],
])

/** Type of a file about which nothing is known. */
export const anyBytes = 'application/octet-stream'

/** Returns the type of a file that begins with these bytes. The declared type counts only if the bytes do not contradict it. */
export function typeOf(head: Uint8Array, declared: string | undefined, filename: string): string {
  const said = declaredType(declared) ?? byExtension.get(extensionIn(filename))?.type
  const found = kinds.find(({ is }) => is?.(head))
  if (found) return said !== undefined && found.covers?.test(said) ? said : found.type
  // Text that is declared as an image must not be shown as one.
  return said === undefined || byType.get(said)?.is ? anyBytes : said
}

/** Returns a declared type without its parameters; undefined if it means nothing. */
function declaredType(input: string | undefined): string | undefined {
  const [said = ''] = (input ?? '').toLowerCase().split(';')
  const type = otherNames.get(said.trim()) ?? said.trim()
  return type === anyBytes || !/^[a-z0-9][\w.+-]{0,62}\/[a-z0-9][\w.+-]{0,62}$/.test(type) ? undefined : type
}

/** Returns the type in a row, if a header can hold it: a table of the host's may hold anything. */
export const typeInRow = (type: string | null): string =>
  type !== null && mediaType.test(type) ? type : anyBytes

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(?:;[ -~]*)?$/

function extensionIn(filename: string): string {
  const [, extension = ''] = /\.([a-z0-9]{1,8})$/i.exec(filename) ?? []
  return otherNames.get(extension.toLowerCase()) ?? extension.toLowerCase()
}

/** Returns the name of a file whose bytes have another type now: with the extension of that type.
 *  @example nameWithType('sea.jpg', 'image/webp') // 'sea.webp' */
export function nameWithType(filename: string, type: string): string {
  const known = byExtension.get(extensionIn(filename))
  if (known?.type === type) return filename
  // A name that ends like `v1.2` has no extension to replace.
  const name = known ? filename.replace(/(?<=.)\.[^.]+$/, '') : filename
  return name + extensionOf(type)
}

/** Returns the extension of a key in the storage: that of a known type, and none for any other. */
export function extensionOf(type: string): string {
  const kind = byType.get(type)
  return kind ? `.${kind.extension}` : ''
}
