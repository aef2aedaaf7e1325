/** Output of `quernel --help`. */
export const help = `Usage: quernel <command> [database] [options]

The database is a file of SQLite (shop.db, sqlite:shop.db, file:///data/shop.db?mode=ro), or a URL of PostgreSQL
(postgres://user:password@host/name); without one, it is what DATABASE_URL names. The driver is that of the project in this folder:
better-sqlite3, or what Node has of its own from 22.16 on; pg, or postgres.

Commands:
  introspect [database]   print its schema as TypeScript; what could not be taken as it is goes to standard error
  graphql [database]      print its schema as GraphQL clients see it; needs the package graphql
  serve [database]        answer the whole API over it

Options of all:
  --include <pattern>     only these tables; * stands for anything, and the option may be repeated, as all of these
  --exclude <pattern>     not these tables
  --db-schema <name>      look into this schema of the database
  --key <table>=<columns> the key of a table or view that has none of its own, with commas between several; on SQLite it may be rowid

Option of graphql and serve:
  --schema-file <file>    a module that exports "schema", in the place of what the database says

Options of serve:
  --port <number>         3000 unless told; 0 for any that is free
  --host <address>        127.0.0.1 unless told; any other needs a token
  --token <token>         who sends it as "Authorization: Bearer …" may do everything; it may also stand in QUERNEL_TOKEN
  --readonly              nothing is changed: the database is opened for reading, and nobody may do more

  --help, --version

Examples:
  quernel introspect shop.db > schema.ts
  quernel graphql shop.db > schema.graphql
  quernel serve postgres://localhost/shop --readonly
`
