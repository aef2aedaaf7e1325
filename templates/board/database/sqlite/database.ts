import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { sqliteDialect } from 'quernel/sqlite'

export const testDatabase = ':memory:'
export async function openDatabase(place = process.env.DATABASE ?? 'board.db') {
  const database = new Database(place)
  database.exec(`
    create table if not exists people (id integer primary key, name text not null, team integer not null);
    create table if not exists cards (id integer primary key, title text not null, state text not null,
      place real not null, author integer not null references people, team integer not null);
    create table if not exists messages (id integer primary key, text text not null, card integer not null);
    insert into people values (1, 'Ada', 1), (2, 'Grace', 1), (3, 'Mallory', 2) on conflict do nothing`)
  return new Kysely<unknown>({ dialect: sqliteDialect({ database }) })
}
