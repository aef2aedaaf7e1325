import { describe, expect, it } from 'vitest'
import { extensionOf, kinds, nameWithType, typeOf } from '../../src/files/content-type.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

interface Said {
  readonly declared?: string
  readonly filename?: string
}
const cases: readonly [title: string, head: string, type: string, said?: Said][] = [
  ['a JPEG', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['a PNG', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['a GIF', 'GIF89a', 'image/gif'],
  ['a WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ['a TIFF of either order', 'MM\0*', 'image/tiff'],
  ['an AVIF by its main brand', '\0\0\0\x1cftypavif\0\0\0\0mif1', 'image/avif'],
  ['an AVIF by another brand', '\0\0\0\x1cftypmif1\0\0\0\0avif', 'image/avif'],
  ['a HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1', 'image/heic'],
  ['a film', '\0\0\0\x18ftypisom\0\0\0\0mp41', 'video/mp4'],
  ['a PDF', '%PDF-1.7', 'application/pdf'],
  ['a ZIP', 'PK\x03\x04', 'application/zip'],
  [
    'what is kept in a ZIP, when it is said to be',
    'PK\x03\x04',
    'application/epub+zip',
    { declared: 'application/epub+zip' },
  ],
  ['a picture that is said to be text', 'GIF89a', 'image/gif', { declared: 'text/html' }],
  ['a picture that is said to be another', 'GIF89a', 'image/gif', { declared: 'image/png' }],
  ['a ZIP that is said to be a picture', 'PK\x03\x04', 'application/zip', { declared: 'image/png' }],
  ['text that is said to be a picture', '<html>', 'application/octet-stream', { declared: 'image/png' }],
  ['text that is called a picture', '<html>', 'application/octet-stream', { filename: 'a.png' }],
  ['text whose picture has another name', '<html>', 'application/octet-stream', { declared: 'image/jpg' }],
  ['a text that begins with two letters of a bitmap', 'BMX bikes', 'text/plain', { filename: 'a.txt' }],
  ['what is said', 'a,b', 'text/csv', { declared: 'text/csv' }],
  ['what is said, without its parameters', 'a', 'text/plain', { declared: 'Text/Plain; charset=utf-8' }],
  ['SVG, which is text', '<svg', 'image/svg+xml', { declared: 'image/svg+xml' }],
  ['what the name says', '{}', 'application/json', { filename: 'A.JSON' }],
  [
    'what the name says, where nothing is said',
    '{}',
    'application/json',
    { declared: 'application/octet-stream', filename: 'a.json' },
  ],
  ['what is no type', 'x', 'application/octet-stream', { declared: 'nonsense\r\nx: y' }],
  ['what nobody knows', 'x', 'application/octet-stream', { filename: 'a.xyz' }],
  ['nothing at all', '', 'application/octet-stream'],
]

describe('the type of a file', () => {
  it.each(cases)('knows %s', (_title, head, type, { declared, filename = 'a' } = {}) => {
    expect(typeOf(bytes(head), declared, filename)).toBe(type)
  })

  it('is told for any beginning of any length', () => {
    for (const [, head] of cases)
      for (let length = 0; length <= head.length; length++)
        expect(typeOf(bytes(head).subarray(0, length), undefined, 'a')).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/)
  })
})

describe('the extension of a key', () => {
  it('is one of few', () => {
    for (const { extension } of kinds) expect(extension).toMatch(/^[a-z0-9]{1,5}$/)
    expect(extensionOf('image/jpeg')).toBe('.jpg')
    expect(extensionOf('application/x-php')).toBe('')
    expect(extensionOf('constructor')).toBe('')
  })
})

describe('the name of what a file was made into', () => {
  it.each([
    ['sea.jpg', 'image/webp', 'sea.webp'],
    ['sea.JPEG', 'image/jpeg', 'sea.JPEG'],
    ['scan.tif', 'image/tiff', 'scan.tif'],
    ['scan.TIF', 'image/png', 'scan.png'],
    ['a.b.png', 'image/avif', 'a.b.avif'],
    ['release v1.2', 'image/png', 'release v1.2.png'],
    ['sea', 'image/jpeg', 'sea.jpg'],
    ['.png', 'image/webp', '.png.webp'],
    ['notes.txt', 'image/png', 'notes.png'],
    ['Größe.jpg', 'image/gif', 'Größe.gif'],
  ])('%s as %s is %s', (name, type, called) => {
    expect(nameWithType(name, type)).toBe(called)
  })
})
