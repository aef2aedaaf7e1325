// Values of JSON: the memory that they take, about, whether two are equal, and the digests that stand in the place of their texts.

import { createHmac, randomBytes } from 'node:crypto'
import { isRecord } from '../../values/guards.ts'
import { once } from '../../values/memo.ts'

/** Bytes that each takes beside what is in it. */
const [ofText, ofObject, ofMember, ofArray, ofNumber] = [32, 56, 40, 32, 16]

/** Returns about how many bytes of memory a value takes, or that it is at least so many. */
export function memoryOf(value: unknown, max = Number.POSITIVE_INFINITY): number {
  let bytes = 0
  const left: unknown[] = [value]
  while (left.length > 0 && bytes < max) {
    const one = left.pop()
    if (typeof one === 'string') bytes += ofText + memoryOfText(one)
    else if (typeof one === 'number') bytes += ofNumber
    else if (Array.isArray(one)) {
      bytes += ofArray + 8 * one.length
      for (const inner of one) left.push(inner)
    } else if (typeof one === 'object' && one !== null) {
      bytes += ofObject
      for (const [name, inner] of Object.entries(one)) {
        bytes += ofMember + name.length
        left.push(inner)
      }
    }
  }
  return bytes
}

/** A text takes two bytes for each sign if one of them is beyond Latin 1. */
const memoryOfText = (text: string): number => (/^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length)

/** True if two values are equal, and have their members in one order. False says nothing: a number may be written in two ways. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  const left: (readonly [unknown, unknown])[] = [[one, other]]
  for (let pair = left.pop(); pair; pair = left.pop()) {
    const [first, second] = pair
    if (first === second) continue
    const areLists = Array.isArray(first) && Array.isArray(second)
    if (!areLists && !(isRecord(first) && isRecord(second))) return false
    const [names, others] = [Object.keys(first), Object.keys(second)]
    if (names.length !== others.length) return false
    for (const [at, name] of names.entries()) {
      if (others[at] !== name) return false
      left.push([Reflect.get(first, name), Reflect.get(second, name)])
    }
  }
  return true
}

/** The secret of the process: without one, a writer could make two items with one digest, and the change from one to the other would never be reported. Made on first use:
 *  runtimes such as Workers have no random bytes while a module is loaded. */
const secret = once(() => randomBytes(32))

/** Returns 128 bits that are the same for items that look the same. */
export const digestOf = (item: unknown): string =>
  createHmac('sha256', secret()).update(JSON.stringify(item)).digest().toString('latin1', 0, 16)
