// The ways in which clients write the same query.

import type { Tree } from './random-queries.ts'
import type { Random } from './seeded-random.ts'

/** Each name with brackets, each value as text; now and then a part as JSON text, or a list in another of its forms. */
export function asBrackets(query: Tree, random: Random): string {
  return pairs(query, random, 0.1)
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
export function asTakenApart(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const elements = value.map((element) => asTakenApart(element, random))
    return random.chance(0.2) ? { ...elements } : elements
  }
  if (!isTree(value)) return String(value)
  const entries = Object.entries(value).map(([name, inner]) => [name, asTakenApart(inner, random)])
  return entries.length === 0 ? '' : Object.fromEntries(entries)
}

type Pair = readonly [name: string, value: string]

function pairs(query: Tree, random: Random, json: number): Pair[] {
  return Object.entries(query).flatMap(([name, value]) => under(encoded(name), value, random, json))
}

function under(name: string, value: unknown, random: Random, json: number): Pair[] {
  if (Array.isArray(value)) return ofList(name, value, random, json)
  if (!isTree(value)) return [[name, encoded(String(value))]]
  const entries = Object.entries(value)
  if (entries.length === 0 || random.chance(json)) return [[name, encoded(JSON.stringify(value))]]
  return entries.flatMap(([key, inner]) => under(`${name}${bracket(key, random)}`, inner, random, json))
}

function ofList(name: string, list: readonly unknown[], random: Random, json: number): Pair[] {
  if (list.length === 0 || random.chance(json)) return [[name, encoded(JSON.stringify(list))]]
  const isNumbered = list.some((element) => typeof element === 'object') || random.chance(0.5)
  return list.flatMap((element, index) => under(`${name}[${isNumbered ? index : ''}]`, element, random, json))
}

const bracket = (key: string, random: Random) =>
  random.chance(0.5) ? `[${encoded(key)}]` : `%5B${encoded(key)}%5D`
const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null
