import { describe, expect, it } from 'vitest'
import { extensionOf, kinds, nameWithType, typeOf } from '../../src/files/content-type.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

const cases: readonly {
  readonly title: string
  readonly head: string
  readonly declared?: string
  readonly filename?: string
  readonly type: string
}[] = [
  { title: 'a JPEG', head: '\xff\xd8\xff\xe0', type: 'image/jpeg' },
  { title: 'a PNG', head: '\x89PNG\r\n\x1a\n', type: 'image/png' },
  { title: 'a GIF', head: 'GIF89a', type: 'image/gif' },
  { title: 'a WebP', head: 'RIFF\0\0\0\0WEBPVP8 ', type: 'image/webp' },
  { title: 'a TIFF of either order', head: 'MM\0*', type: 'image/tiff' },
  { title: 'an AVIF by its main brand', head: '\0\0\0\x1cftypavif\0\0\0\0mif1', type: 'image/avif' },
  { title: 'an AVIF by another brand', head: '\0\0\0\x1cftypmif1\0\0\0\0avif', type: 'image/avif' },
  { title: 'a HEIC', head: '\0\0\0\x18ftypheic\0\0\0\0mif1', type: 'image/heic' },
  { title: 'a film', head: '\0\0\0\x18ftypisom\0\0\0\0mp41', type: 'video/mp4' },
  { title: 'a PDF', head: '%PDF-1.7', type: 'application/pdf' },
  { title: 'a ZIP', head: 'PK\x03\x04', type: 'application/zip' },
  {
    title: 'what is kept in a ZIP, when it is said to be',
    head: 'PK\x03\x04',
    declared: 'application/epub+zip',
    type: 'application/epub+zip',
  },
  { title: 'a picture that is said to be text', head: 'GIF89a', declared: 'text/html', type: 'image/gif' },
  {
    title: 'a picture that is said to be another',
    head: 'GIF89a',
    declared: 'image/png',
    type: 'image/gif',
  },
  {
    title: 'a ZIP that is said to be a picture',
    head: 'PK\x03\x04',
    declared: 'image/png',
    type: 'application/zip',
  },
  {
    title: 'text that is said to be a picture',
    head: '<html>',
    declared: 'image/png',
    type: 'application/octet-stream',
  },
  {
    title: 'text that is called a picture',
    head: '<html>',
    filename: 'a.png',
    type: 'application/octet-stream',
  },
  {
    title: 'text whose picture has another name',
    head: '<html>',
    declared: 'image/jpg',
    type: 'application/octet-stream',
  },
  {
    title: 'a text that begins with two letters of a bitmap',
    head: 'BMX bikes',
    filename: 'a.txt',
    type: 'text/plain',
  },
  { title: 'what is said', head: 'a,b', declared: 'text/csv', type: 'text/csv' },
  {
    title: 'what is said, without its parameters',
    head: 'a',
    declared: 'Text/Plain; charset=utf-8',
    type: 'text/plain',
  },
  { title: 'SVG, which is text', head: '<svg', declared: 'image/svg+xml', type: 'image/svg+xml' },
  { title: 'what the name says', head: '{}', filename: 'A.JSON', type: 'application/json' },
  {
    title: 'what the name says, where nothing is said',
    head: '{}',
    declared: 'application/octet-stream',
    filename: 'a.json',
    type: 'application/json',
  },
  { title: 'what is no type', head: 'x', declared: 'nonsense\r\nx: y', type: 'application/octet-stream' },
  { title: 'what nobody knows', head: 'x', filename: 'a.xyz', type: 'application/octet-stream' },
  { title: 'nothing at all', head: '', type: 'application/octet-stream' },
]

describe('the type of a file', () => {
  it.each(cases)('knows $title', ({ head, declared, filename = 'a', type }) => {
    expect(typeOf(bytes(head), declared, filename)).toBe(type)
  })

  it('is told for any beginning of any length', () => {
    for (const { head } of cases)
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
