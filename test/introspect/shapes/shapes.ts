// Shapes of tables that well-known programs have, in tables of our own.
import type { TestDatabase } from '../../support/databases.ts'
import { titled } from '../../support/titled.ts'

export interface Shape {
  readonly title: string
  /** The databases that have such tables; absent = all. */
  readonly on?: TestDatabase['name']
  readonly statements: readonly string[]
  /** Number of tables and views that can be read and written, if anything tells their rows apart. */
  readonly usable: number
  /** Those that are read only, and why. */
  readonly limited?: readonly string[]
}

export const shapes: readonly Shape[] = titled({
  'a server for chats: texts in every key, queues without one': {
    statements: [
      `create table accounts (username varchar(191) not null, host varchar(191) not null, secret text not null, created_at timestamp not null default current_timestamp,
        primary key (host, username))`,
      `create table contacts (username varchar(191) not null, host varchar(191) not null, jid varchar(191) not null, nick text not null,
        kind char(1) not null, asked char(1) not null)`,
      'create unique index contacts_of_one on contacts (host, username, jid)',
      'create index contacts_by_jid on contacts (jid)',
      'create table queue (username varchar(191) not null, host varchar(191) not null, stanza text not null, seq integer)',
      'create table stored (username varchar(191) not null, host varchar(191) not null, space varchar(191) not null, data text not null, primary key (host, username, space))',
    ],
    usable: 4,
    limited: ['NO_KEY queue'],
  },
  'a wiki: links without foreign keys, keys by unique indexes, caches': {
    statements: [
      'create table pages (page_id integer not null primary key, namespace integer not null, title varchar(255) not null)',
      'create unique index pages_by_name on pages (namespace, title)',
      "create table links (source integer not null default 0, namespace integer not null default 0, title varchar(255) not null default '', primary key (source, namespace, title))",
      'create table interwiki (prefix varchar(32) not null, url text not null, is_local smallint not null)',
      'create unique index interwiki_by_prefix on interwiki (prefix)',
      'create table watched (id integer not null primary key, user_id integer not null, namespace integer not null, title varchar(255) not null, seen varchar(14))',
      'create table search_index (page integer, title varchar(255), body text)',
      'create unique index search_by_page on search_index (page)',
    ],
    usable: 5,
    limited: ['NO_KEY search_index'],
  },
  'a monitor: history by item and moment, sums by hour, sequences by table and column': {
    statements: [
      "create table items (item_id bigint not null primary key, name varchar(255) not null default '')",
      'create table history (item_id bigint not null references items, clock integer not null default 0, value double precision not null default 0, ns integer not null default 0, primary key (item_id, clock, ns))',
      'create table sums (item_id bigint not null references items, clock integer not null default 0, num integer not null default 0, low double precision not null, high double precision not null, primary key (item_id, clock))',
      "create table ids (table_name varchar(64) not null default '', field_name varchar(64) not null default '', next_id bigint not null, primary key (table_name, field_name))",
      "insert into items values (1, 'load')",
    ],
    usable: 4,
  },
  'mail in a browser: members of groups, caches by user and word': {
    statements: [
      'create table users (user_id integer not null primary key, username varchar(128) not null, host varchar(128) not null, unique (username, host))',
      "create table contacts (contact_id integer not null primary key, user_id integer not null references users on delete cascade, name varchar(128) not null default '')",
      'create table groups_of (group_id integer not null primary key, user_id integer not null references users on delete cascade, name varchar(128) not null)',
      `create table members (group_id integer not null references groups_of on delete cascade, contact_id integer not null references contacts on delete cascade,
        created timestamp not null default current_timestamp, primary key (group_id, contact_id))`,
      'create table cache (user_id integer not null references users on delete cascade, word varchar(128) not null, expires timestamp, data text not null, primary key (user_id, word))',
      "insert into users values (1, '1', '1')",
      "insert into contacts values (1, 1, 'Ada')",
      "insert into groups_of values (1, 1, 'All')",
    ],
    usable: 5,
  },
  'books of a company: lines of documents, translations, rates that change, views over them': {
    statements: [
      'create table accounts (id integer not null primary key, code varchar(9) not null unique)',
      'create table translations (account integer not null references accounts, language varchar(6) not null, text varchar(99) not null, primary key (account, language))',
      'create table documents (id integer not null primary key, partner integer, number varchar(20) unique)',
      'create table lines (document integer not null references documents, position integer not null, account varchar(9) not null references accounts (code), amount numeric(12,2) not null, primary key (document, position))',
      'create table settlements (document integer not null, position integer not null, paid_by integer not null references documents, amount numeric(12,2), primary key (document, position, paid_by), foreign key (document, position) references lines)',
      'create table rates (account integer not null references accounts, valid_to date not null, rate numeric(9,5), primary key (account, valid_to))',
      'create view balances as select account, sum(amount) as balance from lines group by account',
      "insert into accounts values (1, '1'), (101, '101')",
      "insert into documents values (1, null, '1')",
      "insert into lines values (1, 1, '1', 12.5)",
    ],
    usable: 7,
    limited: ['VIEW_WITHOUT_KEY balances'],
  },
  'leases of addresses: options by key and scope, states without a key': {
    statements: [
      'create table subnets (subnet_id bigint not null primary key, prefix varchar(64) not null unique, client_class varchar(128))',
      'create table tags (id integer not null primary key, tag varchar(64) not null)',
      'create table subnets_tags (subnet_id bigint not null, tag_id integer not null, changed timestamp not null default current_timestamp, primary key (subnet_id, tag_id), foreign key (subnet_id) references subnets, foreign key (tag_id) references tags)',
      'create table stats (subnet_id bigint not null, state integer not null, leases bigint, primary key (subnet_id, state))',
      'create table version (major integer not null, minor integer)',
      "insert into subnets values (1, '10', null)",
      "insert into tags values (1, 'all')",
    ],
    usable: 5,
    limited: ['NO_KEY version'],
  },
  'a log without rows of its own, and a table of parameters of one row': {
    statements: [
      'create table events (happened timestamp, host varchar(60), message text, priority integer)',
      'create table parameters (next_id integer not null default 0, is_open smallint not null default 1)',
    ],
    usable: 2,
    limited: ['NO_KEY events', 'NO_KEY parameters'],
  },
  'parts with numbers of their own kind: counters within a key, domains, enums and arrays': {
    on: 'postgres',
    statements: [
      "create type state as enum ('open', 'done')",
      'create domain short_text as varchar(20) not null check (length(value) > 0)',
      'create table orders (id uuid primary key, state state not null)',
      'create table positions (order_id uuid references orders, number int generated always as identity, label short_text, tags text[] not null, primary key (order_id, number))',
      'create table states (state state not null, label short_text, primary key (state, label))',
      'create table counted (year smallint not null, number serial, note text, primary key (year, number))',
      "insert into orders values ('00000000-0000-4000-8000-000000000001', 'open')",
    ],
    usable: 4,
  },
})
