export { createMcpServer } from './mcp/create-server.ts'
export { type McpMountOptions, mcp } from './mcp/mcp-mount.ts'
export type { McpOptions } from './mcp/mcp-options.ts'
