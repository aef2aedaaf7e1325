// The parts of the page that no measure changes.

export const remainder = `## Where the remaining time goes

What Quernel does that the SQL by hand does not, where a ratio is well above 1:

- **Sort order.** Null comes last, and first in descending order, on both databases. SQLite reads its index twice for that.
- **Pagination first.** Authors are joined after the rows of the page were chosen. That costs W2 as JSON text on SQLite a tenth, and
  saves the join for all rows that are only sorted or skipped.
- **Timestamps** are declared as \`storage: 'canonical'\`. Without that, ranges and results have to look at each value on SQLite.
- **Small reads.** W6 on SQLite costs some 5 µs beside the statement: the shape of the query is recognised, its values are read, and one
  promise is awaited.
- **Keys.** \`createItem\` gets the new key by \`RETURNING\`, which is right for every table and trigger. Of many rows only the first keys
  are returned; the others are counted, and the count is verified with one more statement.
- **Rare calls.** Before W10 on SQLite, and while PostgreSQL works on W4 and W5, 20 to 50 milliseconds pass, after which nothing of the
  library is left in the caches of the processor.
- **HTTP.** On SQLite a request of H3 costs the server 0.2 ms more than by hand, of which the entity tag takes a third. On PostgreSQL, where
  Node only passes the text on, that is more than half of what a request costs by hand.
- **Connections.** On PostgreSQL, W3 and W3p by hand read comments and tags on two connections, at two points in time; Quernel reads
  everything in one statement.
- **JSON text** of some hundred rows is faster on PostgreSQL when Node writes it, and with many callers when the database does.
- **Images** are stored before they are returned, so the goal is relative to \`hand, stored\`.`

export const rerun = `## Run the benchmark yourself

\`\`\`sh
npm ci
npm run bench -- --quick                    # everything, for a first look
npm run bench -- --only=W3,W6 --database=sqlite --party=quernel
npm run bench -- --only=D1,D3,D6,D7,DC,DN   # GraphQL alone
npx tsx --tsconfig bench/tsconfig.run.json bench/flows/run.ts   # flows alone, once the benchmark is built
npx tsx --tsconfig bench/tsconfig.run.json bench/flows/runs.ts  # runs that are kept
npx tsx --tsconfig bench/tsconfig.run.json bench/peers/queues.ts   # the same beside other queues
npx tsx bench/flows/world.ts                # requests and scripts of flows
npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run.ts  # forms of writes: the cells with goals, or --cells=all; --write
npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run-lists.ts   # the same with lists, and notes that a query selects
npx tsx --tsconfig bench/tsconfig.run.json bench/forms/run-nested.ts  # a note with comments in it
npm run bench -- --only=A1,A2,A3,A4,A5,A6   # images alone
npm run bench -- --check                    # fails when a goal of bench/goals.json is missed
npm run bench -- --write                    # writes this page and its pictures
\`\`\`

A whole run takes somewhat more than twenty minutes. Nothing else should run on the machine: other work affects all parties, but long calls
more often than short ones. The first run installs the other libraries into \`bench/\` and makes the data. \`QUERNEL_PG\`
names a PostgreSQL server that keeps the data for the next run; without it, a server is started for the run.`
