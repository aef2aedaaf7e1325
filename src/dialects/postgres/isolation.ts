import { sql } from '../sql.ts'
import type { IsolationPhrases } from '../transaction-phrases.ts'

const become = {
  'read committed': sql`set transaction isolation level read committed`,
  serializable: sql`set transaction isolation level serializable`,
} as const

export const isolation: IsolationPhrases = {
  ofThis: sql`select current_setting('transaction_isolation') as "0"`,
  become: (level) => become[level],
}
