/** Parses an HTTP date (RFC 9110, section 5.6.7) to a timestamp in milliseconds. NaN for any other text, which is ignored: JavaScript takes
 *  nearly everything for a date, such as a bare number. */
export function readHttpDate(text: string | undefined): number {
  const input = text?.trim() ?? ''
  // The asctime form names no time zone. GMT is meant, and not that of this machine.
  if (ofC.test(input)) return Date.parse(`${input} GMT`)
  return now.test(input) || before.test(input) ? Date.parse(input) : Number.NaN
}

const now = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
const before = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/
const ofC = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
