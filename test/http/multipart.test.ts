// Forms as they come over the wire, cut anywhere, and forms that mean harm.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundaryIn } from '../../src/http/multipart/form.ts'
import { partsOf } from '../../src/http/multipart/parts.ts'
import { refusal } from '../versions/case.ts'

async function* cutAt(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

interface Read {
  readonly name: string
  readonly filename: string | undefined
  readonly type: string | undefined
  readonly body: string
}

/** All parts of a form that comes in chunks of a length, as latin text. */
async function read(form: string, length = form.length || 1, boundary = 'b'): Promise<readonly Read[]> {
  const parts: Read[] = []
  for await (const { bytes, ...head } of partsOf(cutAt(Buffer.from(form, 'latin1'), length), boundary)) {
    const chunks: Uint8Array[] = []
    for (;;) {
      const { done, value } = await bytes.next()
      if (done) break
      chunks.push(value.slice())
    }
    parts.push({ ...head, body: Buffer.concat(chunks).toString('latin1') })
  }
  return parts
}

const part = (body: string, head = 'Content-Disposition: form-data; name="a"') =>
  `--b\r\n${head}\r\n\r\n${body}\r\n`
const form = (...parts: readonly string[]) => `${parts.join('')}--b--\r\n`
const named = (disposition: string) => form(part('x', `Content-Disposition: form-data; ${disposition}`))
const field = (body: string): Read => ({ name: 'a', filename: undefined, type: undefined, body })

describe('a form', () => {
  const two = form(
    part('hello'),
    part(
      '\r\n--\r\n--a\r\nbytes\0\xff',
      'content-disposition: FORM-DATA; filename="x.png"; name=f\r\nContent-Type: image/png',
    ),
    part(''),
  )
  const expected = [
    field('hello'),
    { name: 'f', filename: 'x.png', type: 'image/png', body: '\r\n--\r\n--a\r\nbytes\0\xff' },
    field(''),
  ]

  it('means the same wherever its chunks are cut', async () => {
    for (let length = 1; length <= two.length; length++) expect(await read(two, length)).toEqual(expected)
  })

  it('may have something before, and something behind', async () => {
    expect(await read(`A form follows.\r\n${two}The end.\r\n--b\r\n`)).toEqual(expected)
    expect(await read(two.slice(0, -2))).toEqual(expected)
    expect(await read(two.replaceAll('--b\r\n', '--b \t\r\n'))).toEqual(expected)
  })

  it('keeps any bytes apart from its boundaries', async () => {
    const piece = fc.constantFrom(
      '\r',
      '\n',
      '-',
      '--',
      'b',
      '\r\n',
      '\r\n-',
      '\r\n--',
      '\r\n--c',
      'x',
      '\0',
      '\xff',
    )
    const content = fc
      .array(piece, { maxLength: 20 })
      .map((pieces) => pieces.join(''))
      .filter((text) => !text.includes('\r\n--b') && !`\r\n${text}`.startsWith('\r\n--b'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        async (bodies, length) => {
          expect(await read(form(...bodies.map((body) => part(body))), length)).toEqual(bodies.map(field))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('without parts is empty', async () => {
    expect(await read('--b--')).toEqual([])
  })

  it('is read on where somebody has left a part', async () => {
    const names: string[] = []
    for await (const { name } of partsOf(cutAt(Buffer.from(two, 'latin1'), 7), 'b')) names.push(name)
    expect(names).toEqual(['a', 'f', 'a'])
  })
})

describe('a name', () => {
  it.each([
    ['name="a b"', 'a b', undefined],
    ['name=a', 'a', undefined],
    ['name="a;b=c"', 'a;b=c', undefined],
    ['name="a"; filename="q\\"uote.png"', 'a', 'q"uote.png'],
    ['name="a"; filename="q%22uote%0D%0A.png"', 'a', 'q"uote\r\n.png'],
    ['name="a"; filename="50%.png"', 'a', '50%.png'],
    ['name="a"; filename="C:\\dir\\x.png"', 'a', 'C:\\dir\\x.png'],
    ['name="a"; filename=""', 'a', ''],
    ['name="a"; filename="x"; filename*=UTF-8\'\'y', 'a', 'x'],
    ['name="__proto__"', '__proto__', undefined],
    ['name="tags[0][__proto__]"', 'tags[0][__proto__]', undefined],
    [`name="a"; filename="${Buffer.from('ü日.png').toString('latin1')}"`, 'a', 'ü日.png'],
  ])('as %s is %s', async (disposition, name, filename) => {
    expect(await read(named(disposition))).toEqual([{ name, filename, type: undefined, body: 'x' }])
  })
})

describe('a form that is none', () => {
  const invalid = { code: 'INVALID_PAYLOAD', path: ['body'] }
  const large = { code: 'CONTENT_TOO_LARGE', path: ['body'] }
  it.each([
    ['is empty', '', invalid],
    ['has no boundary', 'hello', invalid],
    ['has another boundary', form(part('x')).replaceAll('--b', '--c'), invalid],
    ['breaks off in a boundary', '--', invalid],
    ['breaks off in a head', '--b\r\nContent-Dispo', invalid],
    ['breaks off in a part', `${part('hello').slice(0, -2)}`, invalid],
    ['breaks off before its end', part('hello'), invalid],
    ['goes on behind a boundary', '--bx\r\n', invalid],
    ['has a part without a head', '--b\r\n\r\nx\r\n--b--', invalid],
    ['has a part without a name', named('filename="x"'), invalid],
    ['has a part with an empty name', named('name=""'), invalid],
    ['has a part with an endless name', named(`name="${'x'.repeat(201)}"`), invalid],
    ['has two names for a part', named('name="a"; name="b"'), invalid],
    ['has an open quote', named('name="a'), invalid],
    ['has another disposition', form(part('x', 'Content-Disposition: attachment; name="a"')), invalid],
    [
      'has two heads of one name',
      form(part('x', 'Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"')),
      invalid,
    ],
    [
      'has a head that is none',
      form(part('x', 'Content-Disposition: form-data; name="a"\r\nhello')),
      invalid,
    ],
    ['folds its heads', form(part('x', 'Content-Disposition: form-data;\r\n name="a"')), invalid],
    [
      'encodes a part',
      form(part('eA==', 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64')),
      invalid,
    ],
    ['has an endless head', `--b\r\nX: ${'x'.repeat(100_000)}`, large],
    ['has many small heads', `--b\r\n${'X-A: b\r\n'.repeat(10_000)}`, large],
    ['begins with anything but itself', 'x'.repeat(100_000), large],
    ['has too many parts', form(...Array.from({ length: 201 }, () => part('x'))), large],
  ])('because it %s is refused', async (_, text, expected) => {
    for (const length of [text.length || 1, 1_000, 3])
      if (length > 3 || text.length < 20_000)
        expect(await refusal(() => read(text, length))).toEqual(expected)
  })
})

describe('the boundary of a form', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;boundary="a b"', 'a b'],
    ['multipart/form-data; charset=utf-8; Boundary=a; x=y', 'a'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
    ['application/json', undefined],
    ['multipart/mixed; boundary=abc', undefined],
    ['multipart/form-database; boundary=abc', undefined],
    [undefined, undefined],
  ])('of %s is %s', (type, boundary) => {
    expect(boundaryIn(type)).toBe(boundary)
  })

  it.each([
    '',
    '; boundary=',
    '; boundary=""',
    '; boundary="a "',
    `; boundary=${'x'.repeat(71)}`,
    '; boundary="a\\"b"',
    '; boundary=ü',
  ])('is missing in multipart/form-data%s', async (rest) => {
    expect(await refusal(async () => boundaryIn(`multipart/form-data${rest}`))).toEqual({
      code: 'INVALID_PAYLOAD',
    })
  })
})
