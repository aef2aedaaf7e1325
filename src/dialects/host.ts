// The host's own Kysely. Its tables are the host's affair: nothing here names one.
import type { Kysely, Transaction } from 'kysely'

// Kysely is invariant in its tables, so only `any` takes an instance whatever tables it was typed with.
// biome-ignore lint/suspicious/noExplicitAny: the reason stands above.
export type HostDatabase = Kysely<any>

// The same holds for a transaction of it.
// biome-ignore lint/suspicious/noExplicitAny: the reason stands above.
export type HostTransaction = Transaction<any>
