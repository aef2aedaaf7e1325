// The ways in which clients write the same query.

import type { Tree } from './random-queries.ts'
import type { Dice } from './seeded-random.ts'

/** Each name with brackets, each value as text; now and then a part as JSON text, or a list in another of its forms. */
export function asBrackets(query: Tree, dice: Dice): string {
  return pairs(query, dice, 0.1)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Objects as JSON text, as the SDK writes them. */
export function asJsonText(query: Tree): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encoded(textOf(value))}`)
    .join('&')
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What a parser of brackets makes of it: all is text, and some lists are objects. */
export function asTakenApart(value: unknown, dice: Dice): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const elements = value.map((element) => asTakenApart(element, dice))
    return dice.chance(0.2) ? { ...elements } : elements
  }
  if (!isTree(value)) return String(value)
  const entries = Object.entries(value).map(([name, inner]) => [name, asTakenApart(inner, dice)])
  return entries.length === 0 ? '' : Object.fromEntries(entries)
}

type Pair = readonly [name: string, value: string]

function pairs(query: Tree, dice: Dice, json: number): Pair[] {
  return Object.entries(query).flatMap(([name, value]) => under(encoded(name), value, dice, json))
}

function under(name: string, value: unknown, dice: Dice, json: number): Pair[] {
  if (Array.isArray(value)) return ofList(name, value, dice, json)
  if (!isTree(value)) return [[name, encoded(String(value))]]
  const entries = Object.entries(value)
  if (entries.length === 0 || dice.chance(json)) return [[name, encoded(JSON.stringify(value))]]
  return entries.flatMap(([key, inner]) => under(`${name}${bracket(key, dice)}`, inner, dice, json))
}

function ofList(name: string, list: readonly unknown[], dice: Dice, json: number): Pair[] {
  if (list.length === 0 || dice.chance(json)) return [[name, encoded(JSON.stringify(list))]]
  const isNumbered = list.some((element) => typeof element === 'object') || dice.chance(0.5)
  return list.flatMap((element, index) => under(`${name}[${isNumbered ? index : ''}]`, element, dice, json))
}

const bracket = (key: string, dice: Dice) =>
  dice.chance(0.5) ? `[${encoded(key)}]` : `%5B${encoded(key)}%5D`
const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null
