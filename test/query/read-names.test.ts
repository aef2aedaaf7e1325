import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../src/query/parse.ts'
import { expectQuery, refusal } from './parse-harness.ts'

describe.each(['fields', 'sort', 'groupBy'])('%s', (name) => {
  const query = { [name]: ['id', 'author.name', 'json(meta, a.b)'] }

  const forms: Record<string, unknown> = {
    'comma text': `${name}=id,author.name,json(meta, a.b)`,
    'comma text with blanks': `${name}=+id+,author.name+,+json(meta,+a.b)`,
    'the parameter repeated': `${name}=id&${name}=author.name&${name}=json(meta, a.b)`,
    'empty brackets': `${name}[]=id&${name}[]=author.name&${name}[]=json(meta, a.b)`,
    'numbered brackets': `${name}[0]=id&${name}[1]=author.name&${name}[2]=json(meta, a.b)`,
    'numbered brackets out of order': `${name}[9]=json(meta, a.b)&${name}[0]=id&${name}[4]=author.name`,
    'comma text in brackets': `${name}[]=id,author.name&${name}[]=json(meta, a.b)`,
    'repeated and brackets mixed': `${name}=id&${name}[]=author.name&${name}[7]=json(meta, a.b)`,
    'numbered and empty brackets mixed': `${name}[5]=id&${name}[]=author.name&${name}[]=json(meta, a.b)`,
    'JSON text': `${name}=["id","author.name","json(meta, a.b)"]`,
    'a list': query,
    'comma text of typed input': { [name]: 'id, author.name, json(meta, a.b)' },
    'a list with comma text': { [name]: ['id,author.name', 'json(meta, a.b)'] },
    'a long list, as other parsers give it': { [name]: { 1: 'author.name', 0: 'id', 2: 'json(meta, a.b)' } },
    "the name with its brackets, as Node's parser gives it": {
      [`${name}[]`]: ['id', 'author.name', 'json(meta, a.b)'],
    },
  }

  test.each(Object.entries(forms))('is read from %s', (_form, input) => {
    expectQuery(input, query)
  })

  test.each([`${name}=`, `${name}`, `${name}=+`, `${name}[]=`, `${name}=[]`, { [name]: [] }, { [name]: '' }])(
    '%j is the same as absent',
    (input) => {
      expectQuery(input, {})
    },
  )

  test('any number of brackets makes one list', () => {
    const names = Array.from({ length: 600 }, (_, index) => `f${index}`)
    const limits = { sorts: 1_000, groups: 1_000 }
    for (const bracket of [() => '', (index: number) => index]) {
      const text = names.map((field, index) => `${name}[${bracket(index)}]=${field}`).join('&')
      expect(parseQuery(text, { limits })).toEqual({ [name]: names })
    }
  })

  const objectHint = {
    fields: 'Write ["title", "author.name"].',
    sort: 'Write ["-views", "title"]: a minus is for descending.',
    groupBy: undefined,
  }[name]

  test.each<[string, unknown, string, (string | undefined)?]>([
    ['number', { [name]: 5 }, `"${name}" takes a list of names, not 5.`],
    ['object', { [name]: { a: 'id' } }, `"${name}" takes a list of names, not an object.`, objectHint],
    ['object in brackets', `${name}[a]=id`, `"${name}" takes a list of names, not an object.`, objectHint],
    ['null', { [name]: null }, `"${name}" takes a list of names, not null.`],
    ['list with a number', { [name]: [5] }, 'A name is text, not 5.'],
    ['list of lists', { [name]: [['id']] }, 'A name is text, not a list of 1.'],
    ['position given twice', `${name}[0]=a&${name}[0]=b`, 'A name is text, not a list of 2.'],
  ])('a %s is refused', (_what, input, message, hint) => {
    expect(refusal(input)).toEqual([{ path: [name], message, ...(hint !== undefined && { hint }) }])
  })

  test('a position that is wrong is said', () => {
    expect(refusal({ [name]: ['id', 5, 'title', null] })).toEqual([
      { path: [name, 1], message: 'A name is text, not 5.' },
      { path: [name, 3], message: 'A name is text, not null.' },
    ])
  })

  test.each(['id,', ',id', 'id,,title', ','])('%s has an empty name', (text) => {
    const told = refusal({ [name]: text })
    expect(new Set(told.map(({ message }) => message))).toEqual(new Set(['A name in the list is empty.']))
  })

  test.each([
    ['a..b', 'a name is missing beside a dot'],
    ['.a', 'a name is missing beside a dot'],
    ['a.', 'a name is missing beside a dot'],
    ['.', 'a name is missing beside a dot'],
    ['a. .b', 'a name is missing beside a dot'],
    ['year(a..b)', 'a name is missing beside a dot'],
    ['year(', 'write it as function(field)'],
    ['year)', 'write it as function(field)'],
    ['(a)', 'write it as function(field)'],
    ['year(a).b', 'write it as function(field)'],
    ['a).b', 'write it as function(field)'],
    ['year(a)b', 'write it as function(field)'],
    ['year()', '"year" needs a field'],
    ['year( )', '"year" needs a field'],
    ['year(a,b)', '"year" takes one field, and no function inside'],
    ['year(month(a))', '"year" takes one field, and no function inside'],
    ['year(a)(b)', '"year" takes one field, and no function inside'],
    ['json(meta)', 'write it as json(field, path)'],
    ['json()', 'write it as json(field, path)'],
    ['json(, a)', 'write it as json(field, path)'],
    ['json(year(a), b)', 'write it as json(field, path)'],
    ['json(meta,)', 'the path is empty'],
    ['json(meta, a..b)', '"..b" is not a step; write name, [0] or ["name"]'],
    ['json(meta, .a)', 'a dot stands between two names'],
    ['json(meta, a[x])', '"[x]" is not a step; write name, [0] or ["name"]'],
    ["json(meta, a')", '"\'" is not a step; write name, [0] or ["name"]'],
    ['item:', 'write it as field:collection'],
    [':block', 'write it as field:collection'],
    ['item:block:other', 'write it as field:collection'],
    ['blocks.item:.headline', 'write it as field:collection'],
  ])('%s is not understood', (text, mistake) => {
    expect(refusal({ [name]: [text] })).toEqual([
      { path: [name], message: `${JSON.stringify(text)} is not understood: ${mistake}.` },
    ])
  })

  test('a function that does not exist is refused with those that do', () => {
    expect(refusal(`${name}=author.yeer(born)`)).toEqual([
      {
        path: [name],
        message:
          '"author.yeer(born)" is not understood: there is no function "yeer"; there are year, month, week, day, weekday, hour, minute, second, count, json, sum, avg, min, max.',
      },
    ])
  })

  test('the functions of the language are not functions of fields', () => {
    expect(refusal(`${name}=toString(a)`)[0]?.message).toContain('there is no function "toString"')
    expect(refusal(`${name}=constructor(a)`)[0]?.message).toContain('there is no function "constructor"')
  })

  test.each([
    '*',
    '*.*',
    'author.*',
    'blocks.item:block_hero.headline',
    'year(author.born)',
    'author.year(born)',
  ])('%s keeps its form', (text) => {
    expectQuery({ [name]: [text] }, { [name]: [text] })
  })

  test.each([
    'json(meta, items[0].name)',
    'json(meta, ["a key"].x)',
    'json(author.meta,a.b.c)',
    'count(comments)',
  ])('%s keeps its form and its commas', (text) => {
    expectQuery(`${name}=${text},id`, { [name]: [text, 'id'] })
  })

  test('a name may be long, but not without end', () => {
    expect(refusal({ [name]: ['x'.repeat(4_097)] })[0]?.message).toMatch(
      /^The name "x+… is longer than 4096 characters\.$/,
    )
  })
})

test('a minus stands before a whole name of a sort', () => {
  expectQuery('sort=-a,-author.name,-year(born),author.-name', {
    sort: ['-a', '-author.name', '-year(born)', 'author.-name'],
  })
  expect(refusal('sort=-')).toEqual([{ path: ['sort'], message: 'A name in the list is empty.' }])
})

describe('meta', () => {
  test.each([
    ['meta=*', ['*']],
    ['meta=total_count,filter_count', ['total_count', 'filter_count']],
    ['meta[]=total_count&meta[]=page', ['total_count', 'page']],
    ['meta=limit,offset,page,page_count,truncated', ['limit', 'offset', 'page', 'page_count', 'truncated']],
    [{ meta: 'filter_count' }, ['filter_count']],
  ])('%j asks for %j', (input, meta) => {
    expectQuery(input, { meta })
  })

  test('what it does not have is refused with what it has', () => {
    expect(refusal('meta=totalcount,*,')).toHaveLength(1)
    expect(refusal('meta=totalcount,*')).toEqual([
      {
        path: ['meta'],
        message:
          '"meta" has no "totalcount"; there are *, total_count, filter_count, limit, offset, page, page_count, truncated, cursors.',
        hint: 'Did you mean "total_count"?',
      },
    ])
  })
})
