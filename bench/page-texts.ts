// The parts of the page that no measure changes.

export const remainder = `## Where the remaining time goes

What Quernel does that the SQL by hand does not, where a ratio is well above 1. The microseconds in this list were measured when the same machine was about
one and a half times as fast as for the tables above; their shares are what matters:

- **Sort order.** Null comes last, and first in descending order, on both databases. SQLite reads its index twice for that.
- **Pagination first.** W2 as JSON text on SQLite joins authors after the rows of the page were chosen. That costs a tenth here, and
  saves the join for all rows that are only sorted or skipped.
- **Timestamps.** The schema declares them as \`storage: 'canonical'\`: on SQLite the column holds the form of results, as SQL by hand takes
  for granted. Without that, ranges and results have to look at each value.
- **Small reads.** W6 on SQLite costs 15 µs of processor time by hand and 20 µs here, and as JSON text 13 and 18 µs. The statement is
  hardly slower than by hand: 13 µs as objects, and 14 µs as JSON text. In the rest the shape of the query is recognised, its values are
  read, and one promise is awaited; as JSON text the query object of the benchmark takes one of them. On PostgreSQL a statement that a
  connection has prepared is sent without asking for its columns, by callbacks from the pool to the result, which takes less of Node than
  a query of pg. As JSON text the server writes timestamps in the form of results and sorts the only row once more.
- **Keys.** \`createItem\` gets the new key by \`RETURNING\`, which is right for every table and trigger, and which alone adds half to
  SQLite's insert in memory. In a file an insert takes 10 µs by hand, which reads the last row id, 11 µs with \`RETURNING\`, and 15 µs
  here: the rest checks the item and its fields. Of many rows only the first keys are returned; the others are counted, and the count is
  verified with one more statement.
- **Rare calls.** W10 on SQLite sends the statement that is sent by hand, made once for all queries of its shape. But 20 milliseconds pass
  between two calls, in which the table is filled again, so that nothing of the library is left in the caches of the processor: then the
  call adds 0.2 ms to 3 ms, and twice that where the statement was made for each query. Likewise, W4 and W5 on PostgreSQL
  keep Node waiting for 40 to 50 milliseconds. W4 costs 1.2 times the processor time of the same two statements by hand; one statement
  that also counts costs Node half of that, and is the fastest by hand in some runs.
- **HTTP.** On SQLite a request of H3 costs the server 0.2 ms more than by hand. The entity tag takes 0.06 to 0.07 of it: without it a client
  would load again what it has. Routing, authentication, the query, the headers and a signal that is aborted when the client leaves take the
  rest. On PostgreSQL, where Node only passes the text on, they add more than half of what a request costs by hand: the entity tag 0.05 to
  0.07 ms, the signal 0.03 ms, and the rest, which the caches of the processor have lost while Node waits, 0.1 ms.
- **Connections.** On PostgreSQL, W3 and W3p by hand read comments and tags on two connections at once, at two points in time. Quernel
  reads everything in one statement, at one point in time; no form by hand that does so was faster.
- **JSON text** of some hundred rows is faster on PostgreSQL when Node writes it. With many callers it is the other way round, because
  they share one Node process; so the database writes it.
- **Images** are stored before they are returned, so that none is rendered twice, not even by a process that is frozen after its
  response. So the goal is relative to \`hand, stored\`. The rest is some thirty calls to the file system: whether the file exists,
  where links lead, and the rename once it is complete. Stored variants are checked for links while they are read.`

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
npm run bench -- --only=A1,A2,A3,A4,A5,A6   # images alone
npm run bench -- --check                    # fails when a goal of bench/goals.json is missed
npm run bench -- --write                    # writes this page and its pictures
\`\`\`

A whole run takes somewhat more than twenty minutes. Nothing else should run on the machine: other work affects all parties, but long calls
more often than short ones. The first run installs the other libraries into \`bench/\` and makes the data. \`QUERNEL_PG\`
names a PostgreSQL server that keeps the data for the next run; without it, a server is started for the run.`
