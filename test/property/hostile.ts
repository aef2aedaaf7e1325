// What somebody might send who means no good, or whose program is broken.

import { asBrackets, asJsonText, asTakenApart } from './query-forms.ts'
import { randomQuery, type Tree } from './random-queries.ts'
import type { Dice } from './seeded-random.ts'

/** One input of the parser, most of them nearly legal: what is far off is refused at the door and tests nothing behind it. */
export function randomInput(dice: Dice): { readonly input: unknown; readonly isText: boolean } {
  const query = randomQuery(dice)
  const isText = dice.chance(0.5)
  const input = dice.do<unknown>(
    () => text(query, dice),
    () => new URLSearchParams(text(query, dice)),
    () => query,
    () => asTakenApart(query, dice),
    () => mutatedText(text(query, dice), dice),
    () => mutatedText(text(query, dice), dice),
    () => new URLSearchParams(mutatedText(text(query, dice), dice)),
    () => mutatedTree(query, dice),
    () => mutatedTree(asTakenApart(query, dice), dice),
    () => Object.fromEntries(new URLSearchParams(mutatedText(text(query, dice), dice))),
    () => garbage(dice),
  )
  return { input, isText }
}

const text = (query: Tree, dice: Dice) => (dice.chance(0.6) ? asBrackets(query, dice) : asJsonText(query))

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

function mutatedText(whole: string, dice: Dice): string {
  let mutated = whole
  for (let times = dice.below(3); times >= 0; times--) mutated = mutateOnce(mutated, dice)
  return mutated
}

function mutateOnce(whole: string, dice: Dice): string {
  const [from, to] = [dice.below(whole.length + 1), dice.below(whole.length + 1)].sort(
    (one, other) => one - other,
  )
  const [before, inside, after] = [whole.slice(0, from), whole.slice(from, to), whole.slice(to)]
  return dice.do(
    () => before + dice.one(pieces) + inside + after,
    () => before + dice.one(pieces) + inside.slice(1) + after,
    () => before + inside.slice(0, 200) + inside + after,
    () => before + after,
    () => whole.slice(0, from) + whole.slice((from ?? 0) + 1),
    () => after + before,
    () => whole.replaceAll(dice.one(pieces), dice.one(pieces)),
    () => before + String.fromCharCode(dice.below(65_536)) + inside + after,
  )
}

const garbage = (dice: Dice): unknown =>
  dice.do<unknown>(
    () => dice.many(0, 60, () => dice.one(pieces)).join(''),
    () => dice.many(0, 200, () => String.fromCharCode(dice.below(dice.one([128, 65_536])))).join(''),
    () =>
      `${dice.one(['filter', 'deep', 'fields', 'limit'])}=${dice.many(0, 30, () => dice.one(pieces)).join('')}`,
    () => hostileValue(dice),
    () => ({
      [dice.one(['filter', 'deep', 'fields', 'alias', 'aggregate', 'limit', dice.one(pieces)])]:
        hostileValue(dice),
    }),
  )

/** Values that JSON cannot hold, that hold themselves, or that are not what they seem. */
export function hostileValue(dice: Dice): unknown {
  return dice.do<unknown>(
    () =>
      dice.one([
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
    () => dice.one(pieces),
    () =>
      dice.one([
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
      dice.one([
        Buffer.from('x'),
        new Uint8Array(3),
        new (class Odd {
          a = 1
        })(),
        Object.create({ inherited: 1 }),
        Object.create(null),
      ]),
    () =>
      dice.one([
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
      JSON.parse(`{"${dice.one(['__proto__', 'constructor', 'prototype', 'toString'])}":{"polluted":true}}`),
    () => circle(dice),
    () => tower(dice),
    () => ({ type: 'Point', coordinates: hostileValue(dice) }),
    () => ({ [dice.one(pieces)]: hostileValue(dice) }),
    () => [hostileValue(dice), hostileValue(dice)],
  )
}

function circle(dice: Dice): unknown {
  const round: Tree = { a: 1 }
  round[dice.one(['_and', '_or', 'self', 'author', '_some', 'coordinates'])] = dice.chance(0.95)
    ? round
    : [round, round]
  return dice.chance(0.5) ? round : { type: 'Point', coordinates: round }
}

function tower(dice: Dice): unknown {
  const [open, close] = dice.one([
    ['{"a":', '}'],
    ['{"_and":[', ']}'],
    ['{"_some":', '}'],
    ['{"_json":', '}'],
    ['[', ']'],
  ] as const)
  const height = dice.one([9, 12, 19, 21, 45, 5_000])
  const text = `${open.repeat(height)}{"_eq":1}${close.repeat(height)}`
  return dice.chance(0.5) ? text : JSON.parse(text)
}

/** Puts something hostile into a place of a tree, or under a name of its own. */
export function mutatedTree(tree: unknown, dice: Dice): unknown {
  if (typeof tree !== 'object' || tree === null || dice.chance(0.15)) return hostileValue(dice)
  if (Array.isArray(tree)) {
    const at = dice.below(tree.length)
    return tree.map((element, index) => (index === at ? mutatedTree(element, dice) : element))
  }
  const copy: Tree = { ...tree }
  const name = dice.chance(0.2) ? dice.one(pieces) : dice.one([...Object.keys(copy), 'filter'])
  copy[name] = mutatedTree(copy[name], dice)
  return copy
}
