// Public addresses of the internet: all but those that are set aside for networks of one's own, for documents, and for what is not addressed
// to one host.
import type { BlockList } from 'node:net'

/** Blocks of addresses that IANA has set aside: https://www.iana.org/assignments/iana-ipv4-special-registry, without exceptions. The few that
 *  are reachable all the same offer no service that a flow needs. */
const blocks4 = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private use'],
  ['100.64.0.0', 10, 'shared by carriers'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link local, and the metadata of clouds'],
  ['172.16.0.0', 12, 'private use'],
  ['192.0.0.0', 24, 'protocols'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'AMT'],
  ['192.88.99.0', 24, 'relays of 6to4'],
  ['192.168.0.0', 16, 'private use'],
  ['192.175.48.0', 24, 'AS112'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, and broadcast'],
] as const

/** Addresses that only machines inside of a cloud can reach, though no registry lists them. */
const ofClouds = [['168.63.129.16', 32, 'the platform below each virtual machine of Azure']] as const

/** The same of https://www.iana.org/assignments/iana-ipv6-special-registry, inside of the only block that is given to hosts. */
const blocks6 = [
  ['2001::', 23, 'protocols: Teredo, ORCHID, benchmarks, AMT'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4: an IPv4 address by relays that no longer run'],
  ['2620:4f:8000::', 48, 'AS112'],
  ['3fff::', 20, 'documentation'],
] as const

/** The block of IPv6 that is given to hosts. Addresses outside are special, or not assigned yet. */
const global6 = ['2000::', 3] as const
/** Prefixes of addresses whose last four bytes are one of IPv4: mapped ones, and those of NAT64. */
const embedding = ['::ffff:0:0', '64:ff9b::'] as const

/** Returns whether an address is one of a public host. `Blocks`: the class `BlockList` of `node:net`, which
 *  not every runtime has. */
export function readPublicAddresses(Blocks: typeof BlockList): (address: string) => boolean {
  const special = new Blocks()
  for (const [net, bits] of [...blocks4, ...ofClouds]) special.addSubnet(net, bits, 'ipv4')
  for (const [net, bits] of blocks6) special.addSubnet(net, bits, 'ipv6')
  const global = new Blocks()
  global.addSubnet(...global6, 'ipv6')
  const embedded = new Blocks()
  for (const net of embedding) embedded.addSubnet(net, 96, 'ipv6')
  return (address) => {
    if (!address.includes(':')) return isAddress4(address) && !special.check(address, 'ipv4')
    // The zone names an interface of this machine.
    if (address.includes('%')) return false
    if (embedded.check(address, 'ipv6')) {
      const inner = lastFourBytes(address)
      return inner !== undefined && !special.check(inner, 'ipv4')
    }
    return global.check(address, 'ipv6') && !special.check(address, 'ipv6')
  }
}

const isAddress4 = (text: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(text)

/** Returns the last four bytes of an IPv6 address as one of IPv4; undefined if it cannot be read. */
function lastFourBytes(address: string): string | undefined {
  const dotted = address.slice(address.lastIndexOf(':') + 1)
  if (isAddress4(dotted)) return dotted
  // The parser of addresses writes all groups out where it cannot shorten them.
  const groups = (address.includes('::') ? filled(address) : address).split(':')
  const last = groups.slice(-2).map((group) => Number.parseInt(group === '' ? '0' : group, 16))
  if (groups.length !== 8 || last.some(Number.isNaN)) return undefined
  return last.flatMap((group) => [group >> 8, group & 0xff]).join('.')
}

/** Writes out the groups that `::` stands for. */
function filled(address: string): string {
  const [before = '', after = ''] = address.split('::')
  const left = before === '' ? [] : before.split(':')
  const right = after === '' ? [] : after.split(':')
  return [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right].join(
    ':',
  )
}
