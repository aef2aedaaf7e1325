// Time zones: UTC, a fixed offset such as +02:00, or a name such as Europe/Oslo.
import { offsetOf } from './moment.ts'

/** UTC, a fixed offset in minutes, or a zone's name. */
export type Zone =
  | { readonly kind: 'offset'; readonly minutes: number }
  | { readonly kind: 'named'; readonly name: string }

export const utc: Zone = { kind: 'offset', minutes: 0 }

export function readZone(text: string): Zone | undefined {
  if (text === 'UTC') return utc
  const offset = offsetOf(text)
  if (offset !== undefined) return { kind: 'offset', minutes: offset / 60_000 }
  return isNamedZone(text) ? { kind: 'named', name: text } : undefined
}

function isNamedZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

/** A date whose UTC fields show the clock time of the zone at a timestamp. */
export function clockIn(zone: Zone, moment: number): Date {
  const shift = zone.kind === 'offset' ? zone.minutes * 60_000 : namedOffset(zone.name, moment)
  return new Date(moment + shift)
}

/** The first date with time zones; before, each place had a time of its own. Before 1582, Intl uses another calendar. */
const beforeZones = Date.UTC(1800, 0)

function namedOffset(name: string, moment: number): number {
  const whole = Math.floor(Math.max(moment, beforeZones) / 1_000) * 1_000
  const shown = Object.fromEntries(
    formatterFor(name)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  const asUtc = new Date(0)
  asUtc.setUTCFullYear(year, month - 1, day)
  asUtc.setUTCHours(hour, minute, second)
  return asUtc.getTime() - whole
}

const formatters = new Map<string, Intl.DateTimeFormat>()

// Making a formatter takes some 50 µs, using one takes 1; an engine has a single zone.
function formatterFor(name: string): Intl.DateTimeFormat {
  const known = formatters.get(name)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(name, made)
  return made
}
