// The parts of the page that no measure changes.

export const remainder = `## Where the remaining time goes

What Quernel does that the SQL by hand does not, where a ratio is well above 1:

- **Sort order.** Null comes last, and first in descending order, on both databases. SQLite reads its index twice for that.
- **Pagination first.** W2 as JSON text on SQLite joins authors after the rows of the page were chosen. That costs a tenth here, and
  saves the join for all rows that are only sorted or skipped.
- **Timestamps.** The schema declares them as \`storage: 'canonical'\`: on SQLite the column holds the form of results, as SQL by hand takes
  for granted. Without that, ranges and results have to look at each value.
- **Small reads.** W6 as JSON text on SQLite is a statement of 21 µs. The statement of Quernel takes 4 % longer; building the query
  object takes 9 %; recognising its shape, reading its values and awaiting a promise take some 20 %.
- **Keys.** \`createItem\` gets the new key by \`RETURNING\`, which is right for every table and trigger, and which alone adds half to
  SQLite's insert. It is noticeable where nothing is stored on disk: an insert in memory takes three microseconds by hand, and more than
  twice as long here. The SQL by hand reads the last row id. Of many rows only the first keys are returned; the others are counted, and
  the count is verified with one more statement.
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
npm run bench -- --only=A1,A2,A3,A4,A5,A6   # images alone
npm run bench -- --check                    # fails when a goal of bench/goals.json is missed
npm run bench -- --write                    # writes this page and its pictures
\`\`\`

A whole run takes somewhat more than twenty minutes. Nothing else should run on the machine: other work affects all parties, but long calls
more often than short ones. The first run installs the other libraries into \`bench/\` and makes the data. \`QUERNEL_PG\`
names a PostgreSQL server that keeps the data for the next run; without it, a server is started for the run.`
