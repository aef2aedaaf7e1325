// What somebody might send who means no good, or whose program is broken.

import { asBrackets, asJsonText, asTakenApart } from './query-forms.ts'
import { randomQuery, type Tree } from './random-queries.ts'
import type { Random } from './seeded-random.ts'

/** One input of the parser, most of them nearly legal: what is far off is refused at the door and tests nothing behind it. */
export function randomInput(random: Random): { readonly input: unknown; readonly isText: boolean } {
  const query = randomQuery(random)
  const isText = random.chance(0.5)
  const input = random.do<unknown>(
    () => text(query, random),
    () => new URLSearchParams(text(query, random)),
    () => query,
    () => asTakenApart(query, random),
    () => mutatedText(text(query, random), random),
    () => mutatedText(text(query, random), random),
    () => new URLSearchParams(mutatedText(text(query, random), random)),
    () => mutatedTree(query, random),
    () => mutatedTree(asTakenApart(query, random), random),
    () => Object.fromEntries(new URLSearchParams(mutatedText(text(query, random), random))),
    () => garbage(random),
  )
  return { input, isText }
}

const text = (query: Tree, random: Random) =>
  random.chance(0.6) ? asBrackets(query, random) : asJsonText(query)

/** Pieces that mean something to a parser, or to what may stand behind it. */
const pieces: readonly string[] = [
  ...'[]{}()=&,.:%+"\'\\$_-*;#? \t\n',
  '[]',
  '[0]',
  '[999999999]',
  '[1e3]',
  '[-1]',
  '[__proto__]',
  '[constructor][prototype]',
  '__proto__',
  '"__proto__":{"polluted":true},',
  'hasOwnProperty',
  '%00',
  '%5B',
  '%zz',
  '%ED%A0%80',
  '\u0000',
  '\ud800',
  '\u202e',
  '🎉',
  'null',
  'undefined',
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '99999999999999999999',
  '_and',
  '_or',
  '_some',
  '_json',
  '_eqq',
  '$NOW(',
  '$FOLLOW(a,b)',
  'json(a,',
  'item:',
  "'; drop table articles; --",
  '&filter=',
  '&filter[a]=1',
  '&limit=',
  '&page=0',
  '&bogus=1',
  '&deep[a][_fields]=b',
  'x'.repeat(300),
  '['.repeat(500),
  '[a]'.repeat(50),
  '('.repeat(300),
  '{"a":'.repeat(200),
  '&a=1'.repeat(300),
  ','.repeat(300),
  '.'.repeat(300),
]

function mutatedText(whole: string, random: Random): string {
  let mutated = whole
  for (let times = random.below(3); times >= 0; times--) mutated = mutateOnce(mutated, random)
  return mutated
}

function mutateOnce(whole: string, random: Random): string {
  const [from, to] = [random.below(whole.length + 1), random.below(whole.length + 1)].sort(
    (one, other) => one - other,
  )
  const [before, inside, after] = [whole.slice(0, from), whole.slice(from, to), whole.slice(to)]
  return random.do(
    () => before + random.one(pieces) + inside + after,
    () => before + random.one(pieces) + inside.slice(1) + after,
    () => before + inside.slice(0, 200) + inside + after,
    () => before + after,
    () => whole.slice(0, from) + whole.slice((from ?? 0) + 1),
    () => after + before,
    () => whole.replaceAll(random.one(pieces), random.one(pieces)),
    () => before + String.fromCharCode(random.below(65_536)) + inside + after,
  )
}

const garbage = (random: Random): unknown =>
  random.do<unknown>(
    () => random.many(0, 60, () => random.one(pieces)).join(''),
    () => random.many(0, 200, () => String.fromCharCode(random.below(random.one([128, 65_536])))).join(''),
    () =>
      `${random.one(['filter', 'deep', 'fields', 'limit'])}=${random.many(0, 30, () => random.one(pieces)).join('')}`,
    () => hostileValue(random),
    () => ({
      [random.one(['filter', 'deep', 'fields', 'alias', 'aggregate', 'limit', random.one(pieces)])]:
        hostileValue(random),
    }),
  )

/** Values that JSON cannot hold, that hold themselves, or that are not what they seem. */
export function hostileValue(random: Random): unknown {
  return random.do<unknown>(
    () =>
      random.one([
        null,
        undefined,
        true,
        0,
        -0,
        -1,
        1.5,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        5n,
        10n ** 400n,
      ]),
    () => random.one(pieces),
    () =>
      random.one([
        Symbol('x'),
        () => 'x',
        new Date(0),
        new Date(Number.NaN),
        /x/,
        new Map(),
        new Set([1]),
        new Error('x'),
      ]),
    () =>
      random.one([
        Buffer.from('x'),
        new Uint8Array(3),
        new (class Odd {
          a = 1
        })(),
        Object.create({ inherited: 1 }),
        Object.create(null),
      ]),
    () =>
      random.one([
        [],
        [undefined],
        [null],
        new Array(3),
        [[[]]],
        [{}],
        {},
        { '': 'x' },
        { 0: 'a', 1: 'b' },
        { length: 1e9 },
      ]),
    () =>
      JSON.parse(
        `{"${random.one(['__proto__', 'constructor', 'prototype', 'toString'])}":{"polluted":true}}`,
      ),
    () => circle(random),
    () => tower(random),
    () => ({ type: 'Point', coordinates: hostileValue(random) }),
    () => ({ [random.one(pieces)]: hostileValue(random) }),
    () => [hostileValue(random), hostileValue(random)],
  )
}

function circle(random: Random): unknown {
  const round: Tree = { a: 1 }
  round[random.one(['_and', '_or', 'self', 'author', '_some', 'coordinates'])] = random.chance(0.95)
    ? round
    : [round, round]
  return random.chance(0.5) ? round : { type: 'Point', coordinates: round }
}

function tower(random: Random): unknown {
  const [open, close] = random.one([
    ['{"a":', '}'],
    ['{"_and":[', ']}'],
    ['{"_some":', '}'],
    ['{"_json":', '}'],
    ['[', ']'],
  ] as const)
  const height = random.one([9, 12, 19, 21, 45, 5_000])
  const text = `${open.repeat(height)}{"_eq":1}${close.repeat(height)}`
  return random.chance(0.5) ? text : JSON.parse(text)
}

/** Puts something hostile into a place of a tree, or under a name of its own. */
export function mutatedTree(tree: unknown, random: Random): unknown {
  if (typeof tree !== 'object' || tree === null || random.chance(0.15)) return hostileValue(random)
  if (Array.isArray(tree)) {
    const at = random.below(tree.length)
    return tree.map((element, index) => (index === at ? mutatedTree(element, random) : element))
  }
  const copy: Tree = { ...tree }
  const name = random.chance(0.2) ? random.one(pieces) : random.one([...Object.keys(copy), 'filter'])
  copy[name] = mutatedTree(copy[name], random)
  return copy
}
