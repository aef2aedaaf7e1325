import { quote } from '../errors/errors.ts'

/** Hears of what went wrong after everything was done, or beside it. */
export type Hears<Context> = (error: unknown, context: Context | undefined) => unknown

/** Tells somebody whose failure is nobody else's. */
export async function attempt<Context>(
  tell: () => unknown,
  context: Context | undefined,
  onError: Hears<Context>,
): Promise<void> {
  try {
    await tell()
  } catch (error) {
    try {
      await onError(error, context)
    } catch (worse) {
      // What was written is written, and nobody is left to be told.
      warn(worse)
    }
  }
}

/** What becomes of a failure that nobody asked to hear of. */
export const warn = (error: unknown): void =>
  process.emitWarning(error instanceof Error ? error : quote(error))
