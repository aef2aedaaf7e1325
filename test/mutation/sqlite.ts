// The database that tests of changed copies run on: one, because they are run many times, and one that needs no server.
import { databases as all } from '../support/databases.ts'

export * from '../support/databases.ts'
export const databases = all.filter(({ name }) => name === 'sqlite')
