import { describe, expect, it } from 'vitest'
import { JsonElements } from '../../src/prepared/streams/sorted-keys.ts'

describe('elements of a JSON text', () => {
  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1,2,3]', [1, 2, 3]],
    [
      '[{"" : "a,]}\\"["}, {"" : [1, 2]}, {"" : "\\\\"},null]',
      [{ '': 'a,]}"[' }, { '': [1, 2] }, { '': '\\' }, null],
    ],
  ])('of %s are all of it, however many are taken at a time', (text, all) => {
    for (const most of [1, 2, 3, 100]) {
      const elements = new JsonElements(text)
      const taken: unknown[] = []
      for (;;) {
        const some = elements.take(most)
        if (some.length === 0) break
        expect(some.length).toBeLessThanOrEqual(most)
        taken.push(...some)
      }
      expect(taken).toEqual(all)
    }
  })
})
