import { describe, expect, it } from 'vitest'
import { fileName } from '../../../src/export/export-items.ts'
import { contentDisposition } from '../../../src/export.ts'

describe('the name of a file', () => {
  const at = new Date('2024-03-01T12:00:00.250Z')

  it.each([
    ['articles', 'articles-20240301T120000Z.csv'],
    ['our articles/2024', 'our_articles_2024-20240301T120000Z.csv'],
    ['../../etc', '______etc-20240301T120000Z.csv'],
    ['größe_漢字_हिन्दी', 'größe_漢字_हिन्दी-20240301T120000Z.csv'],
    ['a"b;c\\d', 'a_b_c_d-20240301T120000Z.csv'],
  ])('of %s is %s', (collection, name) => {
    expect(fileName(collection, 'csv', at)).toBe(name)
  })

  it('is never longer than file systems take', () => {
    expect(Buffer.byteLength(fileName('𝒳'.repeat(60), 'ndjson', at))).toBeLessThanOrEqual(255)
  })
})

describe('the header for saving', () => {
  it.each([
    ['articles.csv', 'attachment; filename="articles.csv"'],
    ['a b; c=d.csv', 'attachment; filename="a b; c=d.csv"'],
    ['Übersicht.csv', `attachment; filename="_bersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`],
    [
      "100% (it's*).csv",
      `attachment; filename="100_ (it's*).csv"; filename*=UTF-8''100%25%20%28it%27s%2A%29.csv`,
    ],
    ['🎉.csv', `attachment; filename="_.csv"; filename*=UTF-8''%F0%9F%8E%89.csv`],
    ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie: x=1"'],
    ['a"; filename="b.exe', 'attachment; filename="a_; filename=_b.exe"'],
    ['..\\..\\a/b', 'attachment; filename=".._.._a_b"'],
    ['cod\u202egpj.exe', 'attachment; filename="cod_gpj.exe"'],
    ['\u0000\u007f\u0085\u2028', 'attachment; filename="____"'],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('of %j is one header', (name, header) => {
    expect(contentDisposition(name)).toBe(header)
    // Only what HTTP takes gets through here.
    expect(new Headers({ 'Content-Disposition': contentDisposition(name) }).get('content-disposition')).toBe(
      header,
    )
  })
})
