/** Opens the API with the first request: a build opens no database. */
async function open() {
  const { handler } = await import('./api.ts')
  const { flows } = await import('./flows.ts')
  await flows.start()
  return handler
}

// Kept beside the modules, which Next loads anew when they change.
const kept = globalThis as { board?: ReturnType<typeof open> }

export const board = () => {
  kept.board ??= open()
  return kept.board
}
