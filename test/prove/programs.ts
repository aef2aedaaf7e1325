// Programs of Debian whose packages carry the SQL of their tables.

/** A file of a package, or all files whose path matches. */
type Files = readonly (string | RegExp)[]

export interface Program {
  readonly name: string
  readonly packages: readonly string[]
  readonly sqlite?: Files
  readonly postgres?: Files
  /** Functions that the program adds to SQLite. */
  readonly functions?: readonly string[]
}

export const programs: readonly Program[] = [
  {
    name: 'Bacula',
    packages: ['bacula-director-pgsql', 'bacula-director-sqlite3'],
    sqlite: [/dbconfig-common\/data\/bacula-director-sqlite3\/install\/sqlite3$/],
    postgres: [/dbconfig-common\/data\/bacula-director-pgsql\/install\/pgsql$/],
  },
  {
    name: 'DAViCal',
    packages: ['libawl-php', 'davical'],
    postgres: [/dba\/awl-tables\.sql$/, /dba\/davical\.sql$/],
  },
  {
    name: 'ejabberd',
    packages: ['ejabberd'],
    sqlite: [/share\/ejabberd\/sql\/lite\.sql$/],
    postgres: [/share\/ejabberd\/sql\/pg\.sql$/],
  },
  {
    name: 'ejabberd, many hosts',
    packages: ['ejabberd'],
    sqlite: [/share\/ejabberd\/sql\/lite\.new\.sql$/],
    postgres: [/share\/ejabberd\/sql\/pg\.new\.sql$/],
  },
  {
    name: 'FreeRADIUS',
    packages: ['freeradius-config'],
    sqlite: [/mods-config\/sql\/[\w-]+\/sqlite\/(process-radacct-)?schema\.sql$/],
    postgres: [/mods-config\/sql\/[\w-]+\/postgresql\/schema\.sql$/],
  },
  {
    name: 'Gammu',
    packages: ['gammu-smsd'],
    sqlite: [/examples\/sqlite\.sql(\.gz)?$/],
    postgres: [/examples\/pgsql\.sql(\.gz)?$/],
  },
  { name: 'GNUnet', packages: ['gnunet'], postgres: [/sql\/versioning\.sql$/, /sql\/\w+-0001\.sql$/] },
  { name: 'Icinga 2 IDO', packages: ['icinga2-ido-pgsql'], postgres: [/ido-pgsql\/schema\/pgsql\.sql$/] },
  { name: 'Icinga DB', packages: ['icingadb'], postgres: [/schema\/pgsql\/schema\.sql$/] },
  { name: 'Icinga Web', packages: ['icingaweb2'], postgres: [/schema\/pgsql\.schema\.sql$/] },
  {
    name: 'Kamailio',
    packages: ['kamailio-postgres-modules', 'kamailio-sqlite-modules'],
    sqlite: [/db_sqlite\/standard-create\.sql$/, /db_sqlite\/(?!standard)[\w]+-create\.sql$/],
    postgres: [
      /kamailio\/postgres\/standard-create\.sql$/,
      /kamailio\/postgres\/(?!standard)\w+-create\.sql$/,
    ],
  },
  { name: 'Kea', packages: ['kea-admin'], postgres: [/pgsql\/dhcpdb_create\.pgsql$/] },
  { name: 'LedgerSMB', packages: ['ledgersmb'], postgres: [/sql\/Pg-database\.sql$/] },
  {
    name: 'MediaWiki',
    packages: ['mediawiki'],
    sqlite: [
      /maintenance\/sqlite\/tables-generated\.sql$/,
      /extensions-core\/.*\/sqlite\/(tables-generated|math\w+)\.sql$/,
    ],
    postgres: [
      /maintenance\/postgres\/tables-generated\.sql$/,
      /maintenance\/postgres\/tables\.sql$/,
      /extensions-core\/.*\/postgres\/(tables-generated|math\w+)\.sql$/,
    ],
  },
  {
    name: 'PowerDNS',
    packages: ['pdns-backend-sqlite3', 'pdns-backend-pgsql'],
    sqlite: [/schema\/schema\.sqlite3\.sql$/],
    postgres: [/schema\/schema\.pgsql\.sql$/],
  },
  {
    name: 'Request Tracker',
    packages: ['request-tracker5'],
    sqlite: [/etc\/schema\.SQLite$/],
    postgres: [/etc\/schema\.Pg$/],
  },
  {
    name: 'Roundcube',
    packages: ['roundcube-core'],
    sqlite: [/SQL\/sqlite\.initial\.sql$/],
    postgres: [/SQL\/postgres\.initial\.sql$/],
  },
  { name: 'rsyslog', packages: ['rsyslog-pgsql'], postgres: [/install\/pgsql$/] },
  {
    name: 'SpamAssassin',
    packages: ['spamassassin'],
    sqlite: [/sql\/\w+_sqlite\.sql(\.gz)?$/],
    postgres: [/sql\/(awl|bayes|userpref|txrep)_pg\.sql(\.gz)?$/],
  },
  {
    name: 'Tryton',
    packages: ['tryton-server'],
    sqlite: [/backend\/sqlite\/init\.sql$/],
    postgres: [/backend\/postgresql\/init\.sql$/],
  },
  { name: 'Tiny Tiny RSS', packages: ['tt-rss'], postgres: [/schema\/ttrss_schema_pgsql\.sql$/] },
  {
    name: 'Zabbix',
    packages: ['zabbix-server-pgsql', 'zabbix-proxy-sqlite3'],
    sqlite: [/zabbix-proxy-sqlite3\/schema\.sql\.gz$/],
    postgres: [/zabbix-server-pgsql\/schema\.sql\.gz$/],
  },
  {
    name: 'calibre',
    packages: ['calibre'],
    sqlite: [/calibre\/metadata_sqlite\.sql$/],
    functions: ['title_sort', 'uuid4'],
  },
  { name: 'Gerbera', packages: ['gerbera'], sqlite: [/gerbera\/sqlite3\.sql$/] },
  { name: 'OAR', packages: ['oar-server'], postgres: [/database\/pg_structure\.sql$/] },
  { name: 'OpenDNSSEC', packages: ['opendnssec-common'], sqlite: [/opendnssec\/schema\.sqlite$/] },
  {
    name: 'pmacct',
    packages: ['pmacct'],
    sqlite: [/sql\/pmacct-create-table_\w+\.sqlite3$/],
    postgres: [/sql\/pmacct-create-table_\w+\.pgsql$/],
  },
  { name: 'SQL-Ledger', packages: ['sql-ledger'], postgres: [/sql\/Pg-tables\.sql$/] },
]
