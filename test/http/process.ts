// Errors that nobody has caught. A server would have died of them.
const seen: unknown[] = []
process.on('unhandledRejection', (reason) => seen.push(reason))
process.on('uncaughtException', (error) => seen.push(error))

/** Those of this process so far. */
export const troubles = (): readonly unknown[] => seen
