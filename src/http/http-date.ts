/** The moment of a date as HTTP writes it (RFC 9110, section 5.6.7), in milliseconds. NaN for any other text, which is passed over: JavaScript
 *  takes nearly everything for a date, such as a bare number. */
export function readHttpDate(text: string | undefined): number {
  const given = text?.trim() ?? ''
  // The form of C names no zone. GMT is meant, and not the one of this machine.
  if (ofC.test(given)) return Date.parse(`${given} GMT`)
  return now.test(given) || before.test(given) ? Date.parse(given) : Number.NaN
}

const now = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
const before = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/
const ofC = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
