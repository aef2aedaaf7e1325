// Tests in a time zone of the process: some drivers make dates of what they bind and read, by its clock.
import { afterAll, beforeAll } from 'vitest'

/** Lets the tests of a file run in a zone. */
export function inZone(name: string): void {
  const zone = process.env.TZ
  beforeAll(() => {
    process.env.TZ = name
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
}
