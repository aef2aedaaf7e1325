// As much of sql.js as the playground uses; it comes without types.
declare module 'sql.js/dist/sql-wasm-browser.js' {
  interface Statement {
    step(): boolean
    getAsObject(): unknown
    free(): void
  }
  class Database {
    exec(text: string, parameters?: readonly unknown[]): { readonly values: readonly unknown[][] }[]
    prepare(text: string, parameters?: readonly unknown[]): Statement
    close(): void
  }
  export default function start(options: {
    locateFile(): string
  }): Promise<{ readonly Database: typeof Database }>
}
