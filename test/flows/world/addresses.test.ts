// Addresses: those that a flow may call, compared with what another library says of drawn ones.
import { BlockList } from 'node:net'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { readPublicAddresses } from '../../../src/flows/world/public-addresses.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'

const isPublic = readPublicAddresses(BlockList)

/** The judgement of the other library, with what is ours: hosts of IPv6 are in one block, and NAT64 means what it embeds. */
function expected(text: string): boolean {
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.range() === 'unicast'
  const { parts } = address as ipaddr.IPv6
  if (address.range() === 'rfc6052' && parts[2] === 0) {
    const [high = 0, low = 0] = parts.slice(6)
    return expected([high >> 8, high & 255, low >> 8, low & 255].join('.'))
  }
  return address.range() === 'unicast' && (parts[0] ?? 0) >> 13 === 1
}

describe('an address', () => {
  it.each([
    ['8.8.8.8', true],
    ['1.1.1.1', true],
    ['0.0.0.0', false],
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['100.128.0.1', true],
    ['169.254.169.254', false],
    ['172.15.0.1', true],
    ['172.16.0.1', false],
    ['172.32.0.1', true],
    ['192.168.1.1', false],
    ['168.63.129.16', false],
    ['168.63.129.17', true],
    ['198.18.0.1', false],
    ['203.0.113.7', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:8.8.8.8', true],
    ['::ffff:808:808', true],
    ['::127.0.0.1', false],
    ['::ffff:0:127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::a9fe:a9fe', false],
    ['64:ff9b::808:808', true],
    ['64:ff9b:1::808:808', false],
    ['2002:7f00:1::', false],
    ['2001:0:7f00:1::', false],
    ['2001:4860:4860::8888', true],
    ['2001:db8::1', false],
    ['3fff::1', false],
    ['fc00::1', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['100::1', false],
    ['5f00::1', false],
    ['4000::1', false],
    ['localhost', false],
    ['1', false],
    ['', false],
  ])('%s may be called: %s', (address, mayBeCalled) => expect(isPublic(address)).toBe(mayBeCalled))

  it(`is seen as another library sees it, of 10,000 that are drawn (QUERNEL_SEED=${fuzzSeed})`, () => {
    const random = new Random(fuzzSeed)
    const below = (end: number) => random.below(end)
    const group = () => below(65_536)
    const heads6 = [
      [0, 0, 0, 0, 0, 0xffff],
      [0x64, 0xff9b, 0, 0, 0, 0],
      [0x64, 0xff9b, 1],
      [0x2001],
      [0x2001, 0],
      [0x2001, 0xdb8],
      [0x2002],
      [0x2620, 0x4f, 0x8000],
      [0x3fff],
      [0xfe80],
      [0xfc00],
      [0x100],
      [],
    ]
    const heads4 = [
      [10],
      [100, 64],
      [127],
      [169, 254],
      [172, 16],
      [192, 168],
      [192, 0],
      [192, 88, 99],
      [198],
      [203, 0, 113],
      [224],
      [],
    ]
    const drawn = Array.from({ length: 10_000 }, (_, at) => {
      if (at % 2 === 0) {
        const head = heads4[below(heads4.length)] ?? []
        return [...head, below(256), below(256), below(256), below(256)].slice(0, 4).join('.')
      }
      const head = heads6[below(heads6.length)] ?? []
      const groups = [...head, ...Array.from({ length: 8 }, () => (below(3) === 0 ? 0 : group()))].slice(0, 8)
      const written = groups.map((one) => one.toString(16)).join(':')
      return below(2) === 0 ? written : new URL(`http://[${written}]/`).hostname.slice(1, -1)
    })
    const different = drawn.filter((address) => isPublic(address) !== expected(address))
    expect(different).toEqual([])
    expect(drawn.filter(isPublic).length).toBeGreaterThan(500)
  })
})
