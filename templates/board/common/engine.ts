import { createEngine } from 'quernel'
import { openDatabase } from './database.ts'
import { schema } from './schema.ts'

export const openEngine = async (place?: string) =>
  createEngine({ db: await openDatabase(place), schema, variables: { $CURRENT_USER: 'people' }, flows: {} })
