// Timestamps as PostgreSQL writes them in JSON: with all digits, the session's offset, and years of any length.

import type { TemporalFamily } from '../../types/families.ts'
import { momentText, readMoment } from '../../values/moment.ts'

/** Returns a reader that converts them to the text of a result. Infinities are null. */
export function momentFromJson(family: TemporalFamily): (text: string) => string | null {
  const { isUsual, cut } = forms[family]
  return (text) => {
    if (text.endsWith('infinity')) return null
    if (isUsual(text)) return cut(text)
    // In a session with another zone than UTC every timestamp has its offset.
    const moment = readMoment(text)
    return moment ? momentText[family](moment.at) : farMoment(text, family)
  }
}

interface MomentForm {
  readonly isUsual: (text: string) => boolean
  /** Cuts a usual text to the form of results: digits beyond the third of a second are dropped, and missing
   *  ones are zero. */
  readonly cut: (text: string) => string
}

/** True for a year of four digits that is not before the first. */
const hasUsualYear = (text: string) => text[4] === '-' && !text.endsWith(' BC')

const hasOffset = (text: string) => text.at(-6) === '+' || text.at(-6) === '-'

const forms: Readonly<Record<TemporalFamily, MomentForm>> = {
  date: { isUsual: () => true, cut: (text) => text },
  time: { isUsual: () => true, cut: (text) => text.slice(0, 8) },
  // A column may have a zone all the same.
  dateTime: { isUsual: (text) => hasUsualYear(text) && !hasOffset(text), cut: (text) => text.slice(0, 19) },
  timestamp: {
    isUsual: (text) => text.endsWith('+00:00') && hasUsualYear(text),
    cut: (text) => {
      const fraction = text.slice(20, -6).slice(0, 3)
      return `${text.slice(0, 19)}.${fraction.padEnd(3, '0')}Z`
    },
  },
}

/** Before there were time zones, clocks were some minutes and seconds apart: `1830-01-02T03:21:35.678+00:17:30`. */
const shape =
  /^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([+-]\d\d):(\d\d)(?::(\d\d))?)?( BC)?$/

function farMoment(text: string, family: TemporalFamily): string {
  const [, year, month, day, hour, minute, second, fraction = '', hours = '+00', minutes, seconds, era] =
    shape.exec(text) ?? []
  const offset = Number(hours.slice(1)) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  const moment = new Date(0)
  moment.setUTCFullYear(era ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day))
  moment.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second) + (hours.startsWith('-') ? offset : -offset),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  )
  // PostgreSQL has years that JavaScript does not have.
  return Number.isNaN(moment.getTime()) ? text : farText(moment, family)
}

/** The text as PostgreSQL writes it: with more digits of the year if needed, and the era for years before the first. */
function farText(moment: Date, family: TemporalFamily): string {
  const year = moment.getUTCFullYear()
  const digits = String(year < 1 ? 1 - year : year).padStart(4, '0')
  const rest = moment.toISOString().replace(/^[+-]?\d+/, '')
  return `${digits}${family === 'dateTime' ? rest.slice(0, -5) : rest}${year < 1 ? ' BC' : ''}`
}
