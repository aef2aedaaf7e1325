// Introspection of PostgreSQL. Of its catalogues, information_schema shows less and takes a hundred times as long.
import type { CataloguePhrases, CatalogueTable, UniquenessPhrases } from '../catalogue.ts'
import { type Sql, sql } from '../sql.ts'
import { constant, guess, holds } from './declared-types.ts'
import { tableText } from './identifiers.ts'

export const catalogue: CataloguePhrases = {
  statement,
  otherSchemas: sql`select n.nspname as "0" from pg_namespace as n
    where not n.nspname = any(current_schemas(true)) and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and has_schema_privilege(n.oid, 'usage') and exists (select from pg_class as c where c.relnamespace = n.oid
        and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and has_any_column_privilege(c.oid, 'select')
        and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))
    order by n.nspname collate "C"`,
  table: (text) => JSON.parse(text) as CatalogueTable, // as the statement below writes it
  sameName: (name) => name,
  partsOf: ({ table, dbSchema }) => {
    // In the schema in which it would be created: others are looked up for its bare name, too.
    const home = dbSchema === undefined ? sql`current_schema()` : sql.lit(dbSchema)
    const id = sql`(select c.oid from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.relname = ${sql.lit(table)} and n.nspname = ${home})`
    const columns = sql`select attname::text as "0", 'column' as "1" from pg_catalog.pg_attribute where attrelid = ${id} and attnum > 0 and not attisdropped`
    return sql`${columns} union all select relname::text, 'index' from pg_catalog.pg_index join pg_catalog.pg_class as c on c.oid = indexrelid where indrelid = ${id}`
  },
  hidden: (tables) => sql`select n.nspname as "0", c.relname as "1", a.attname as "2",
      n.nspname = any(string_to_array(translate(current_setting('search_path'), '" ', ''), ',')) as "3"
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname = any(${sql.val(tables)}::text[]) and a.attnum > 0 and not a.attisdropped
      and not (has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
        and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))`,
  guess,
  holds,
  hasSchemas: true,
  constant,
  uniqueness,
}

/** Partitions belong to their table, and tables of extensions have no data of the host. */
function statement(dbSchemas: readonly string[] | undefined, partitions: readonly string[]): Sql {
  const isWanted = dbSchemas
    ? sql`n.nspname = any(${sql.val(dbSchemas)}::text[])`
    : sql`n.nspname = any(current_schemas(false)) and ${isFound}`
  const isWhole = sql`(not c.relispartition or c.relname = any(${sql.val(partitions)}::text[])
    or n.nspname || '.' || c.relname = any(${sql.val(partitions)}::text[]))`
  return sql`with recursive domains (id, base, modifier, required, start) as (
    select oid, typbasetype, typtypmod, typnotnull, typdefault from pg_type where typtype = 'd'
    union all
    select d.id, t.typbasetype, case when d.modifier < 0 then t.typtypmod else d.modifier end, d.required or t.typnotnull, coalesce(d.start, t.typdefault)
    from domains as d join pg_type as t on t.oid = d.base where t.typtype = 'd'
  ), bases as (
    select d.* from domains as d join pg_type as t on t.oid = d.base where t.typtype <> 'd'
  ), mute (id) as (${mute}), equal (id) as (${equal}) select json_build_object(
    'schema', n.nspname, 'name', c.relname,
    'kind', case when c.relkind in ('v', 'm') then 'view' else 'table' end,
    'keepsKeys', c.relkind in ('r', 'p') and not ${isInherited},
    'isWritable', case when c.oid in (select id from mute) then false else pg_relation_is_updatable(c.oid, true) & 28 = 28 end,
    'note', obj_description(c.oid, 'pg_class'),
    'columns', ${columns},
    'primaryKey', coalesce((select ${namesOf(sql`i.indkey::int2[]`)} from pg_index as i where i.indrelid = c.oid and i.indisprimary), '[]'),
    'uniqueKeys', ${uniqueKeys},
    'foreignKeys', ${foreignKeys},
    'rowNumber', null
  )::text as "0" from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${isWhole} and ${isWanted}
    and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by n.nspname collate "C", c.relname collate "C"`
}

/** True for the table that its bare name means in a new session: a temporary one hides others in its own session only. */
const isFound = sql`not exists (select from pg_class as o join pg_namespace as p on p.oid = o.relnamespace
  where o.relname = c.relname and array_position(current_schemas(false), p.nspname) < array_position(current_schemas(false), n.nspname))`

/** True for a table whose rows include those of tables that inherit from it, in which its keys may be there again. */
const isInherited = sql`exists (select from pg_inherits as h join pg_class as k on k.oid = h.inhrelid
  where h.inhparent = c.oid and not k.relispartition)`

/** Foreign tables whose wrapper has no handler, and views of them: to ask what can be done with their rows is an error. */
const mute = sql`select t.ftrelid from pg_foreign_table as t join pg_foreign_server as s on s.oid = t.ftserver
    join pg_foreign_data_wrapper as w on w.oid = s.srvfdw where w.fdwhandler = 0
  union select r.ev_class from mute join pg_depend as d on d.refobjid = mute.id and d.refclassid = 'pg_class'::regclass
    and d.classid = 'pg_rewrite'::regclass join pg_rewrite as r on r.oid = d.objid`

const namesOf = (numbers: Sql, table = sql`c.oid`) =>
  sql`(select json_agg(a.attname order by k.place) from unnest(${numbers}) with ordinality as k (number, place)
    join pg_attribute as a on a.attrelid = ${table} and a.attnum = k.number)`

/** The bare name: as text, a `regnamespace` has the quotes that it needs in a statement. */
const schemaOf = (namespace: Sql) => sql`(select nspname from pg_namespace where oid = ${namespace})`

/** A name, in quotes if it would not be taken for one. */
const plainName = (name: Sql) =>
  sql`(select case when n ~ '[."]' then '"' || replace(n, '"', '""') || '"' else n end from (select ${name}::text as n) as q)`

/** Types with a default operator class that knows equality, and those that are taken for one of them, as cidr is for inet. An operator `=` alone may
 *  compare anything: that of boxes compares their areas. */
const equal = sql`select opcintype from pg_opclass join pg_am on pg_am.oid = opcmethod where opcdefault and amname in ('btree', 'hash')
    union select castsource from pg_cast join pg_opclass on opcintype = casttarget join pg_am on pg_am.oid = opcmethod
    where castmethod = 'b' and castcontext = 'i' and opcdefault and amname in ('btree', 'hash')
    union select oid from pg_type where typtype in ('e', 'r', 'm')`

/** A composite type has equality if all of its parts have it by themselves. */
const hasEquality = sql`case when e.typtype <> 'c' then e.oid in (select id from equal) else not exists (
      select from pg_attribute as p join pg_type as y on y.oid = p.atttypid left join bases as pb on pb.id = y.oid
      where p.attrelid = e.typrelid and p.attnum > 0 and not p.attisdropped
        and coalesce(pb.base, nullif(case when y.typcategory = 'A' then y.typelem else 0 end, 0), y.oid) not in (select id from equal)) end`

/** `t` is the type below the domain, `e` that of the elements below theirs. */
const columns = sql`(select coalesce(json_agg(json_build_object(
    'name', a.attname,
    'declared', format_type(t.oid, coalesce(nullif(b.modifier, -1), a.atttypmod)),
    'type', e.typname,
    'typeName', case when pg_type_is_visible(e.oid) then '' else ${plainName(schemaOf(sql`e.typnamespace`))} || '.' end || ${plainName(sql`e.typname`)},
    'hasEquality', ${hasEquality},
    'isArray', t.typcategory = 'A',
    'isNullable', not (a.attnotnull or coalesce(b.required, false)),
    'source', case
      when a.attgenerated <> '' or a.attidentity = 'a' then 'database'
      when a.attidentity = 'd' or v.text like 'nextval(%' then 'counter'
      when v.text is not null then 'default' else 'caller' end,
    'default', case when a.attgenerated = '' then v.text end,
    'length', case when e.typname in ('varchar', 'bpchar') and m.modifier > 4 then m.modifier - 4 end,
    'precision', case when e.typname = 'numeric' and m.modifier > 4 then ((m.modifier - 4) >> 16) & 65535 end,
    'scale', case when e.typname = 'numeric' and m.modifier > 4 then (((m.modifier - 4) & 2047) # 1024) - 1024 end,
    'enum', case when e.typtype = 'e' then json_build_object(
      'schema', ${schemaOf(sql`e.typnamespace`)}, 'name', e.typname, 'isVisible', pg_type_is_visible(e.oid),
      'values', (select coalesce(json_agg(l.enumlabel order by l.enumsortorder), '[]') from pg_enum as l where l.enumtypid = e.oid)) end,
    'note', col_description(c.oid, a.attnum),
    'collation', case when a.attcollation not in (0, 'pg_catalog.default'::regcollation) then a.attcollation::regcollation::text end
  ) order by a.attnum), '[]') from pg_attribute as a
  left join bases as b on b.id = a.atttypid
  join pg_type as t on t.oid = coalesce(b.base, a.atttypid)
  left join bases as eb on eb.id = t.typelem and t.typcategory = 'A'
  join pg_type as e on e.oid = case when t.typcategory = 'A' then coalesce(eb.base, t.typelem) else t.oid end
  cross join lateral (select coalesce(case when eb.modifier >= 0 then eb.modifier when b.modifier >= 0 then b.modifier end, a.atttypmod) as modifier) as m
  left join pg_attrdef as f on f.adrelid = a.attrelid and f.adnum = a.attnum
  left join lateral (select coalesce(pg_get_expr(f.adbin, f.adrelid), b.start) as text) as v on true
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(c.oid, a.attnum, 'select'))`

/** An index may have more columns than those it compares. */
const uniqueKeys = sql`(select coalesce(json_agg(${namesOf(sql`(i.indkey::int2[])[0:i.indnkeyatts - 1]`)} order by i.indexrelid), '[]')
  from pg_index as i where i.indrelid = c.oid and i.indisunique and not i.indisprimary and i.indisvalid
    and i.indpred is null and i.indexprs is null)`

/** Texts of two collations are compared by neither unless one of them is that of the database. */
const isIncomparable = sql`exists (select from unnest(r.conkey, r.confkey) as k (own, other)
    join pg_attribute as a on a.attrelid = r.conrelid and a.attnum = k.own
    join pg_attribute as b on b.attrelid = r.confrelid and b.attnum = k.other
    where a.attcollation <> b.attcollation and 0 not in (a.attcollation, b.attcollation)
      and 'pg_catalog.default'::regcollation not in (a.attcollation, b.attcollation))`

/** A key to a partitioned table is repeated for each of its partitions, and that of one in each of its own. */
const foreignKeys = sql`(select coalesce(json_agg((jsonb_build_object(
    'columns', ${namesOf(sql`r.conkey`)},
    'table', json_build_object('schema', ${schemaOf(sql`o.relnamespace`)}, 'name', o.relname),
    'targetColumns', ${namesOf(sql`r.confkey`, sql`r.confrelid`)},
    'onDelete', case r.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' when 'r' then 'restrict' else 'no action' end
  ) || case when ${isIncomparable} then '{"isIncomparable":true}' else '{}' end::jsonb) order by r.conkey, r.oid), '[]') from pg_constraint as r join pg_class as o on o.oid = r.confrelid
  where r.conrelid = c.oid and r.contype = 'f'
    and (r.conparentid = 0 or exists (select from pg_constraint as p where p.oid = r.conparentid and p.confrelid = r.confrelid)))`

/** Asks the indexes, which every key has. The rows of a table that others inherit from are not all in them. */
function uniqueness(
  ...[table, columns]: Parameters<NonNullable<CataloguePhrases['uniqueness']>>
): UniquenessPhrases {
  const id = sql`${sql.lit(tableText(table))}::regclass`
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const isWhole = sql`i.indisunique and i.indimmediate and i.indisvalid and not i.indisexclusion and i.indpred is null and i.indexprs is null`
  const isInherited = sql`exists (select from pg_catalog.pg_inherits as h join pg_catalog.pg_class as k on k.oid = h.inhrelid where h.inhparent = ${id} and not k.relispartition)`
  const has = (isUnfit: Sql, isMore: Sql) =>
    sql`(not ${isInherited} and exists (select from pg_catalog.pg_index as i where i.indrelid = ${id} and ${isWhole}${isMore} and not exists (select from ${indexParts} where k.place <= i.indnkeyatts and (a.attname not in (${names}) or ${isUnfit}))))`
  return {
    areUnique: has(isFiner, sql``),
    areKey: has(isOther, sql` and i.indnkeyatts = ${sql.lit(columns.length)}`),
  }
}

/** The columns of an index, with the collations of both. Behind those that it compares there may be others. */
const indexParts = sql`unnest(i.indkey::int2[]) with ordinality as k (number, place)
    join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
    left join pg_catalog.pg_collation as c on c.oid = a.attcollation
    left join pg_catalog.pg_collation as x on x.oid = (i.indcollation::oid[])[k.place::int - 1]`

/** All deterministic collations take the same texts for equal: those with the same bytes. */
const isFiner = sql`a.attcollation <> (i.indcollation::oid[])[k.place::int - 1] and not c.collisdeterministic`
const isOther = sql`a.attcollation <> (i.indcollation::oid[])[k.place::int - 1] and not (c.collisdeterministic and x.collisdeterministic)`
