// Moments as PostgreSQL writes them in JSON: with as many digits as there are, the session's offset, and years of any length.
import { momentText, readMoment } from '../../values/moment.ts'
import type { TemporalFamily } from '../numbered-moments.ts'

/** Makes the text of an answer of it. Infinities are null. */
export function momentFromJson(family: TemporalFamily): (text: string) => string | null {
  const { isUsual, cut } = forms[family]
  return (text) => {
    if (text.endsWith('infinity')) return null
    if (isUsual(text)) return cut(text)
    // A session away from UTC writes every moment with its offset.
    const moment = readMoment(text)
    return moment ? momentText[family](moment.at) : farMoment(text, family)
  }
}

interface MomentForm {
  readonly isUsual: (text: string) => boolean
  /** What an answer shows of a usual text: digits beyond the third of a second are cut off, and what lacks is zero. */
  readonly cut: (text: string) => string
}

/** Four digits, and none before the first year. */
const hasUsualYear = (text: string) => text[4] === '-' && !text.endsWith(' BC')

const forms: Readonly<Record<TemporalFamily, MomentForm>> = {
  date: { isUsual: () => true, cut: (text) => text },
  time: { isUsual: () => true, cut: (text) => text.slice(0, 8) },
  dateTime: { isUsual: hasUsualYear, cut: (text) => text.slice(0, 19) },
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
  // PostgreSQL knows years that JavaScript does not.
  return Number.isNaN(moment.getTime()) ? text : farText(moment, family)
}

/** As PostgreSQL writes it: years of more digits where there are more, and those before the first with their era. */
function farText(moment: Date, family: TemporalFamily): string {
  const year = moment.getUTCFullYear()
  const digits = String(year < 1 ? 1 - year : year).padStart(4, '0')
  const rest = moment.toISOString().replace(/^[+-]?\d+/, '')
  return `${digits}${family === 'dateTime' ? rest.slice(0, -5) : rest}${year < 1 ? ' BC' : ''}`
}
