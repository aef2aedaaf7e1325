// Networks in a policy: `10.0.0.7`, `10.0.0.0/8`, `10.0.0.1-10.0.0.9`.
import { BlockList, isIP } from 'node:net'

/** Returns a function that tests whether an address is in one of the networks. Invalid networks contain no address; undefined if all are
 *  invalid. */
export function ipAllowlistOf(texts: readonly string[]): ((address: string) => boolean) | undefined {
  const list = new BlockList()
  const areRead = texts.map((text) => add(list, text.trim()))
  if (!areRead.includes(true)) return undefined
  return (address) => {
    const family = familyOf(address)
    return family !== undefined && list.check(address, family)
  }
}

type AddressFamily = 'ipv4' | 'ipv6'

const families: Readonly<Record<number, AddressFamily>> = { 4: 'ipv4', 6: 'ipv6' }
const familyOf = (address: string): AddressFamily | undefined => families[isIP(address)]

function add(list: BlockList, text: string): boolean {
  const [first = '', last] = text.split('-').map((part) => part.trim())
  const [address = '', bits] = first.split('/')
  const family = familyOf(address)
  if (!family) return false
  if (last !== undefined) return bits === undefined && addRange(list, address, last, family)
  if (bits === undefined) list.addAddress(address, family)
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits[family])
    list.addSubnet(address, Number(bits), family)
  else return false
  return true
}

const maxBits: Readonly<Record<AddressFamily, number>> = { ipv4: 32, ipv6: 128 }

function addRange(list: BlockList, first: string, last: string, family: AddressFamily): boolean {
  if (familyOf(last) !== family) return false
  try {
    list.addRange(first, last, family)
    return true
  } catch {
    // The range ends before it begins.
    return false
  }
}
