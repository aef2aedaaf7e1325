import type { NextConfig } from 'next'

const config: NextConfig = {
  // What needs Node is loaded by Node.
  serverExternalPackages: ['quernel', 'better-sqlite3', 'pg'],
}

export default config
