// Dates and times as numbers of milliseconds, and their parts. Everything is UTC.

export const isMoment = (type: string): boolean =>
  type === 'date' || type === 'time' || type === 'dateTime' || type === 'timestamp'

export function readMoment(type: string, value: unknown): number {
  const text = String(value)
  const moment = Date.parse(type === 'time' ? `1970-01-01T${text}Z` : withZone(text))
  if (Number.isNaN(moment)) throw new Error(`not a ${type}: ${text}`)
  return moment
}

/** A day alone is its midnight; what names no zone is in UTC. */
function withZone(text: string): string {
  if (!text.includes('T')) return `${text}T00:00:00Z`
  return /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`
}

const day = 86_400_000

const parts: Readonly<Record<string, (moment: Date) => number>> = {
  year: (moment) => moment.getUTCFullYear(),
  month: (moment) => moment.getUTCMonth() + 1,
  week: isoWeek,
  day: (moment) => moment.getUTCDate(),
  weekday: (moment) => moment.getUTCDay(),
  hour: (moment) => moment.getUTCHours(),
  minute: (moment) => moment.getUTCMinutes(),
  second: (moment) => moment.getUTCSeconds(),
}

export const partNames: readonly string[] = Object.keys(parts)

export function partOf(name: string, type: string, value: unknown): number | null {
  const part = parts[name]
  if (!part) throw new Error(`no function ${name}`)
  return value === null ? null : part(new Date(readMoment(type, value)))
}

/** A week belongs to the year that its Thursday is in. */
function isoWeek(moment: Date): number {
  const sinceMonday = (moment.getUTCDay() + 6) % 7
  const thursday = new Date(moment.getTime() + (3 - sinceMonday) * day)
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  return 1 + Math.floor((thursday.getTime() - newYear) / day / 7)
}
