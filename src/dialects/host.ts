// The host's own Kysely. Its tables belong to the host: nothing here names one.
import type { Kysely, Transaction } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, so nothing else takes every host's instance.
export type HostDatabase = Kysely<any>

// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, so nothing else takes every host's transaction.
export type HostTransaction = Transaction<any>
