// Whose code runs as whom on PostgreSQL. The owner of a table may give it triggers, rules, policies and defaults, which run as the role that uses it. So a
// table, a function or a type is used only if every role that may act as its owner may act as that role anyway. Functions are named with their schema, and
// operators have operands of their own types: where others may create in the search path, theirs could fit better.

import type { TableName } from '../phrase-types.ts'
import { tableText } from '../postgres/identifiers.ts'
import { type Sql, sql } from '../sql.ts'
import { markOf, textOf } from './logged-text.ts'
import type { LoggedTable } from './phrases.ts'

/** True if one may act as a role: with its rights, by `set role`, or by granting it to itself. Before PostgreSQL 16 each member may set it. */
const mayActAs = (one: Sql, role: Sql): Sql =>
  sql`pg_catalog.pg_has_role(${one}, ${role}, case when pg_catalog.current_setting('server_version_num')::integer < 160000 then 'usage, member' else 'usage, set, member with admin option' end)`

const hasRightsOf = (role: Sql, one: Sql): Sql => sql`pg_catalog.pg_has_role(${role}, ${one}, 'usage')`

/** An owner of something, and the owner of the schema that it stands in. */
interface Owner {
  readonly owner: Sql
  readonly homeOwner: Sql
}

/** True if one may act as a role, or may drop and replace what stands in a schema. */
const mayAnyway = (one: Sql, role: Sql, homeOwner: Sql): Sql =>
  sql`(${mayActAs(one, role)} or ${mayActAs(one, homeOwner)} or ${mayActAs(one, sql`(select d.datdba from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())`)} or pg_catalog.pg_get_userbyid(${one}) = 'pg_database_owner')`

/** Selects the roles that may act as an owner, but lack the rights of a role: the owner itself if it can log in, and each member, whatever its
 *  membership allows today. Members of the role are left out. */
const othersAs = (role: Sql, { owner, homeOwner }: Owner): Sql =>
  sql`with recursive holders (holder) as (select ${owner} union select link.member from pg_catalog.pg_auth_members as link join holders on link.roleid = holder where holder <> ${role})
    select holder, named.rolname from holders join pg_catalog.pg_roles as named on named.oid = holder where not ${mayAnyway(sql`holder`, role, homeOwner)} and (named.rolcanlogin or not ${hasRightsOf(role, sql`holder`)})`

const isSuper = (role: Sql): Sql =>
  sql`(select s.rolsuper from pg_catalog.pg_roles as s where s.oid = ${role})`

/** True if code of an owner may run as a role. A superuser has the rights of all roles, so having its rights is no reason for it to trust an owner. */
const trusts = (role: Sql, one: Owner): Sql =>
  sql`(${mayActAs(one.owner, role)} or not ${isSuper(role)} and (${mayAnyway(one.owner, role, one.homeOwner)} or ${hasRightsOf(role, one.owner)} and not exists (${othersAs(role, one)})))`

const self = sql`(select u.oid from pg_catalog.pg_roles as u where u.rolname = current_user)`

/** Says that code of an owner would run as a role, and who may act as that owner besides. */
function sentence(what: Sql, one: Owner, role: Sql): Sql {
  const { owner } = one
  const name = sql`case when holder = ${owner} then 'every role that can log in' else pg_catalog.quote_ident(rolname::text) end`
  const others = sql`case when ${hasRightsOf(role, owner)} and not ${isSuper(role)} then (select pg_catalog.format(', and as whom these may act: %s', pg_catalog.string_agg(${name}, ', ' order by rolname)) from (${othersAs(role, one)} order by rolname limit 5) as others) end`
  return sql`pg_catalog.format('%s is owned by %I, whose code would run as %I%s', ${what}, pg_catalog.pg_get_userbyid(${owner}), pg_catalog.pg_get_userbyid(${role}), ${others}) as "0"`
}

/** True if a name in a schema `n` is one of some. */
const isOneOf = (names: readonly TableName[], name: Sql): Sql =>
  sql.join(
    names.map(({ table, dbSchema }) => {
      const home = dbSchema === undefined ? sql`pg_catalog.current_schema()` : sql.lit(dbSchema)
      return sql`(n.nspname = ${home} and ${name} = ${sql.lit(table)})`
    }),
    sql` or `,
  )

/** Selects what stands under some names, with its owner: relations, types, and what relations run. */
function named(names: readonly TableName[]): Sql {
  const is = (name: Sql) => isOneOf(names, name)
  const relations = sql`pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace`
  const kind = sql`case c.relkind when 'S' then 'sequence' when 'i' then 'index' when 'v' then 'view' when 'm' then 'view' else 'table' end`
  return sql`select pg_catalog.format('the %s %I.%I', ${kind}, n.nspname, c.relname) as what, c.relowner as owner, n.nspowner as home_owner from ${relations} where ${is(sql`c.relname`)}
    union all select pg_catalog.format('the type %I.%I', n.nspname, t.typname), t.typowner, n.nspowner from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = t.typnamespace where t.typrelid = '0' and (${is(sql`t.typname`)})
    union all select pg_catalog.format('the table %s', child.oid::pg_catalog.regclass), child.relowner, n.nspowner from ${relations} join pg_catalog.pg_inherits as i on i.inhparent = c.oid join pg_catalog.pg_class as child on child.oid = i.inhrelid where ${is(sql`c.relname`)}
    union all ${usedBy(relations, is(sql`c.relname`))}`
}

/** Selects what tables run, with its owner: a table that was given away keeps the triggers, rules, policies, defaults, checks and indexes of who has made it. */
function usedBy(tables: Sql, isTheirs: Sql): Sql {
  const parts = sql.join(
    [
      sql`select ${idOf('pg_class')} as kind, c.oid as part`,
      ...partsOfTables.map(([catalogue, id, table]) => {
        const [kind, from] = [idOf(catalogue === 'pg_index' ? 'pg_class' : catalogue), sql.raw(catalogue)]
        return sql`select ${kind}, part.${sql.raw(id)} from pg_catalog.${from} as part where part.${sql.raw(table)} = c.oid`
      }),
    ],
    sql` union all `,
  )
  const used = sql.join(
    [
      ...Object.entries(ownersOfUsed).map(
        ([catalogue, owner]) =>
          sql`select thing.${sql.raw(owner)} as owner from pg_catalog.${sql.raw(catalogue)} as thing where d.refclassid = ${idOf(catalogue)} and thing.oid = d.refobjid`,
      ),
      // A key that refers to a table of another owner runs none of its code.
      sql`select thing.relowner from pg_catalog.pg_class as thing where d.refclassid = ${idOf('pg_class')} and thing.oid = d.refobjid and thing.oid <> c.oid and parts.kind <> ${idOf('pg_constraint')}`,
    ],
    sql` union all `,
  )
  return sql`select distinct pg_catalog.format('the %s of the %s %s', (pg_catalog.pg_identify_object(d.refclassid, d.refobjid, 0)).type, (pg_catalog.pg_identify_object(parts.kind, parts.part, 0)).type, (pg_catalog.pg_identify_object(parts.kind, parts.part, 0)).identity), used.owner, n.nspowner from ${tables}, lateral (${parts}) as parts join pg_catalog.pg_depend as d on d.classid = parts.kind and d.objid = parts.part, lateral (${used}) as used where ${isTheirs}`
}

const idOf = (catalogue: string): Sql => sql`${sql.lit(`pg_catalog.${catalogue}`)}::pg_catalog.regclass::oid`

/** The catalogues of what belongs to a table, each with the columns of its own number and of the table's. */
const partsOfTables = [
  ['pg_trigger', 'oid', 'tgrelid'],
  ['pg_rewrite', 'oid', 'ev_class'],
  ['pg_policy', 'oid', 'polrelid'],
  ['pg_attrdef', 'oid', 'adrelid'],
  ['pg_constraint', 'oid', 'conrelid'],
  ['pg_index', 'indexrelid', 'indrelid'],
] as const

const ownersOfUsed = { pg_proc: 'proowner', pg_operator: 'oprowner', pg_type: 'typowner' }

const ownerOf = (row: Sql): Owner => ({ owner: sql`${row}.owner`, homeOwner: sql`${row}.home_owner` })

/** Selects the functions of the change log in a schema, with their owners. */
const functionsOf = (home: string, isOurs: Sql): Sql =>
  sql`select pg_catalog.format('the function %I.%I', n.nspname, f.proname) as what, f.proowner as owner, n.nspowner as home_owner from pg_catalog.pg_proc as f join pg_catalog.pg_namespace as n on n.oid = f.pronamespace where n.nspname = ${sql.lit(home)} and (${isOurs})`

/** Selects tables by their names, with their owners. */
function tablesNamed(tables: readonly TableName[]): Sql {
  if (tables.length === 0)
    return sql`select '0'::oid as id, '0'::oid as owner, '0'::oid as home_owner where false`
  const ids = tables.map((table) => sql`pg_catalog.to_regclass(${sql.lit(tableText(table))})::oid`)
  return sql`select c.oid as id, c.relowner as owner, n.nspowner as home_owner from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid in (${sql.join(ids, sql`, `)})`
}

/** The same with the partitions of each. */
const withPartitions = (tables: readonly TableName[]): Sql =>
  sql`select id, owner, home_owner from (${tablesNamed(tables)}) as w union select c.oid, c.relowner, n.nspowner from (${tablesNamed(tables)}) as w, pg_catalog.pg_partition_tree(w.id::pg_catalog.regclass) as p join pg_catalog.pg_class as c on c.oid = p.relid::oid join pg_catalog.pg_namespace as n on n.oid = c.relnamespace`

/** Further owners that a role trusts, by the tables that it uses: the owners of all of them, or the owner of one. */
export interface Besides {
  readonly tables: readonly TableName[]
  readonly owning: 'all' | 'any'
}

/** Selects as "0" a sentence for each thing under some names that the role of the connection has no reason to trust. */
export function strangers(
  names: readonly TableName[],
  besides: Besides,
  more: Sql = sql`select null, '0'::oid, '0'::oid where false`,
): Sql {
  const owners = tablesNamed(besides.tables)
  const isTrusted = trusts(sql`b.owner`, ownerOf(sql`t`))
  const isKnown =
    besides.owning === 'any'
      ? sql`exists (select from besides as b where ${isTrusted})`
      : sql`(exists (select from besides) and not exists (select from besides as b where not ${isTrusted}))`
  return sql`with besides as (${owners}), me as (select ${self} as id) select ${sentence(sql`t.what`, ownerOf(sql`t`), sql`me.id`)} from (${named(names)} union all ${more}) as t, me where not ${trusts(sql`me.id`, ownerOf(sql`t`))} and not ${isKnown} order by 1`
}

const logTables = [
  'quernel_changes',
  'quernel_changes_state',
  'quernel_changes_marks',
  'quernel_changes_epoch',
] as const
const logNames = [...logTables, 'quernel_changes_seq', 'quernel_changes_xid'] as const

const ofLog = (home: string) => logNames.map((table): TableName => ({ table, dbSchema: home }))
const namesOf = (names: readonly string[]) => sql.join(names.map(sql.lit), sql`, `)

/** The same for what readers of a log use, and null where a table of it is missing. Its other functions are of no concern to them. */
export function strangersToReaders(home: string, tables: readonly TableName[]): Sql {
  const prune = sql`f.proname = 'quernel_changes_prune' and f.pronargs = 1 and f.proargtypes[0] = '20'`
  const found = strangers(ofLog(home), { tables, owning: 'any' }, functionsOf(home, prune))
  const there = sql`select pg_catalog.count(*) from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where n.nspname = ${sql.lit(home)} and c.relkind = 'r' and c.relname in (${namesOf(logTables)})`
  return sql`select "0" from (${found}) as found union all select null where (${there}) < ${sql.lit(logTables.length)}`
}

/** The same for a log that is installed on tables, or is being installed by the role of the connection. Its functions run as their owners: so these have to
 *  trust the owners of the log, of the tables whose values they write, and of the types of these; and the roles that write to the tables have to trust the
 *  owners of the functions. */
export function strangersInLog(home: string, tables: readonly LoggedTable[], isInstalling: boolean): Sql {
  const isOurs = sql`f.proname = 'quernel_changes_prune' or pg_catalog.starts_with(f.proname::text, 'quernel_log_')`
  const isWritten = sql.join(
    tables.flatMap((table) =>
      [...table.key, ...table.old].map(
        ({ column }) =>
          sql` or a.attrelid = pg_catalog.to_regclass(${sql.lit(tableText(table))})::oid and a.attname = ${sql.lit(column)}`,
      ),
    ),
    sql``,
  )
  const installer = sql` union select ${self}`
  const table = { owner: sql`w.on_owner`, homeOwner: sql`w.on_home_owner` }
  // The owner of the schema of a type need not own that of the table.
  const type = { owner: sql`t.typowner`, homeOwner: sql`p.home_owner` }
  return sql`with recursive watched as (${withPartitions(tables)}),
    writers as (select f.oid, f.proowner as owner, h.nspname as home, h.nspowner as home_owner, f.proname as name, w.id as on_id, w.owner as on_owner, w.home_owner as on_home_owner from watched as w join pg_catalog.pg_trigger as g on g.tgrelid = w.id join pg_catalog.pg_proc as f on f.oid = g.tgfoid join pg_catalog.pg_namespace as h on h.oid = f.pronamespace where h.nspname = ${sql.lit(home)} and (${isOurs})),
    runners (id) as (select owner from writers${isInstalling ? installer : sql``}),
    types (writer, id, home_owner) as (
      select w.owner, a.atttypid, w.on_home_owner from writers as w join pg_catalog.pg_attribute as a on a.attrelid = w.on_id and (false${isWritten})
      union select p.writer, part.id, p.home_owner from types as p join pg_catalog.pg_type as t on t.oid = p.id, lateral (select t.typelem union all select t.typbasetype union all select a.atttypid from pg_catalog.pg_attribute as a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) as part (id) where part.id <> '0'
    )
    select ${sentence(sql`t.what`, ownerOf(sql`t`), sql`r.id`)} from (${named(ofLog(home))} union all ${functionsOf(home, isOurs)}) as t, runners as r where not ${trusts(sql`r.id`, ownerOf(sql`t`))}
    union select ${sentence(sql`pg_catalog.format('the table %s', w.on_id::pg_catalog.regclass)`, table, sql`w.owner`)} from writers as w where not ${trusts(sql`w.owner`, table)}
    union select ${sentence(sql`pg_catalog.format('the function %I.%I', w.home, w.name)`, ownerOf(sql`w`), sql`w.on_owner`)} from writers as w where not ${trusts(sql`w.on_owner`, ownerOf(sql`w`))}
    union select ${sentence(sql`pg_catalog.format('the type %s', t.oid::pg_catalog.regtype)`, type, sql`p.writer`)} from types as p join pg_catalog.pg_type as t on t.oid = p.id where not ${trusts(sql`p.writer`, type)}
    order by 1`
}

/** Selects as "0" the statements that take from others, whom default privileges may have given them, the rights to tables of some names and to their
 *  sequences by which code of theirs could run, or which break what the engine counts on: triggers, keys that refer to it, the next number. What
 *  readers and writers need stays as it was granted. */
export function rightsOfOthers(names: readonly TableName[]): Sql {
  const ofTables = sql`c.relkind in ('r', 'p') and a.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')`
  const sequence = sql`c.relkind = 'S' and a.privilege_type <> 'SELECT'`
  const those = sql`select c.oid, c.relkind, c.relowner, c.relacl from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where ${isOneOf(names, sql`c.relname`)}`
  const theirs = sql`select s.oid, s.relkind, s.relowner, s.relacl from (${those}) as c join pg_catalog.pg_depend as d on d.refobjid = c.oid and d.refclassid = ${idOf('pg_class')} and d.classid = ${idOf('pg_class')} join pg_catalog.pg_class as s on s.oid = d.objid and s.relkind = 'S'`
  return sql`select pg_catalog.format('revoke %s on %s %s from %s cascade', pg_catalog.string_agg(distinct a.privilege_type, ', '), case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::pg_catalog.regclass, case a.grantee when '0' then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)::text) end) as "0" from (${those} union ${theirs}) as c, pg_catalog.aclexplode(c.relacl) as a where a.grantee <> c.relowner and (${ofTables} or ${sequence}) and pg_catalog.pg_has_role(c.relowner, 'usage') group by c.oid, c.relkind, a.grantee order by 1`
}

/** The same for a log. Its functions on tables of others would write what they like. */
export const rightsToLog = (home: string): Sql =>
  sql`select "0" from (${rightsOfOthers(ofLog(home))}) as found union select pg_catalog.format('revoke all on function %s from %s cascade', f.oid::pg_catalog.regprocedure, case a.grantee when '0' then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)::text) end) from pg_catalog.pg_proc as f join pg_catalog.pg_namespace as n on n.oid = f.pronamespace, pg_catalog.aclexplode(f.proacl) as a where n.nspname = ${sql.lit(home)} and pg_catalog.starts_with(f.proname::text, 'quernel_log_') and a.grantee <> f.proowner and pg_catalog.pg_has_role(f.proowner, 'usage')`

/** A statement for the end of an installation, wherever it is run: takes these rights back, and refuses what belongs to strangers. */
export function guard(home: string, tables: readonly LoggedTable[]): Sql {
  const text = textOf(sql`declare one record; begin
    for one in ${rightsToLog(home)} loop execute one."0"; end loop;
    for one in ${strangersInLog(home, tables, true)} loop raise exception 'The change log is not safe: %.', one."0" using errcode = 'insufficient_privilege'; end loop;
  end`)
  const quotes = sql.raw(`$quernel_${markOf(text)}$`)
  return sql`do ${quotes} ${sql.raw(text)} ${quotes}`
}
