import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeCodec } from '../../src/create-engine.ts'
import { portableCodec, textOf, utf8Of } from '../../src/values/bytes.ts'

/** As lists: those of Node are of a class of their own. */
const listOf = (bytes: Uint8Array) => [...bytes]

describe('conversions of bytes', () => {
  it('are the same in browsers and on Node', () => {
    const every = fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const [base64, hex] = [portableCodec.toBase64(bytes), portableCodec.toHex(bytes)]
      expect([base64, hex]).toEqual([nodeCodec.toBase64(bytes), nodeCodec.toHex(bytes)])
      for (const codec of [portableCodec, nodeCodec]) {
        expect(listOf(codec.fromBase64(base64))).toEqual(listOf(bytes))
        expect(listOf(codec.fromHex(hex))).toEqual(listOf(bytes))
      }
    })
    fc.assert(every)
  })

  it('take bytes within others, and more of them than a call has arguments', () => {
    const all = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256)
    const within = all.subarray(3, 250_000)
    for (const codec of [portableCodec, nodeCodec]) {
      expect(codec.fromBase64(codec.toBase64(within))).toHaveLength(249_997)
      expect(codec.toHex(within)).toBe(Buffer.from(within).toString('hex'))
    }
    expect(portableCodec.toBase64(within)).toBe(nodeCodec.toBase64(within))
  })

  it('read base64 without its padding', () => {
    for (const { fromBase64 } of [portableCodec, nodeCodec]) {
      expect(listOf(fromBase64('AQ'))).toEqual([1])
      expect(listOf(fromBase64('AQI'))).toEqual([1, 2])
    }
  })

  it('read text as Node does, with its mark of the order of bytes', () => {
    const every = fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(textOf(bytes)).toBe(Buffer.from(bytes).toString())
    })
    fc.assert(every)
    expect(textOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\uFEFFa')
  })

  it('write text as Node does', () => {
    const every = fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(listOf(utf8Of(text))).toEqual(listOf(Buffer.from(text)))
    })
    fc.assert(every)
  })
})
