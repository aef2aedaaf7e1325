// Rows as one JSON text. The driver makes a value for each cell of a row, which takes longer than parsing a
// short one in JSON.
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import type { Packing } from '../list-phrases.ts'
import { numberingOf } from '../numbered-moments.ts'
import { sql } from '../sql.ts'

export const packing: Packing = {
  // Measured: below, the text costs more than it saves; above, there is no difference, and the text takes memory.
  leastRows: 10,
  mostRows: 1_000,
  // JSON has at most 15 digits of a number that is not whole.
  suits: (type) => short.has(type.type) && !numberingOf(type) && !isOfBytes(type),
  select: ({ element, from }) => sql`select json_group_array(${element}) as "0" from ${from}`,
}

const short: ReadonlySet<ValueType['type']> = new Set([
  'integer',
  'bigInteger',
  'string',
  'uuid',
  'boolean',
  'date',
  'time',
  'dateTime',
  'timestamp',
])
