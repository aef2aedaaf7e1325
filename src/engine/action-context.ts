import type { ActionContext } from '../access/visible-actions.ts'
import type { EngineInternals } from './engine.ts'

/** Returns what the actions of an engine's caller depend on: its rules, and the hooks that are registered now. */
export const actionContext = (engine: EngineInternals): ActionContext => ({
  whole: engine.scope?.permissions?.whole ?? engine.schema,
  seen: engine.schema,
  permissions: engine.scope?.permissions,
  isReadonly: engine.isReadonly,
  mayChange: (action, collection) => engine.hooks.of('before', `items.${action}`, collection).length > 0,
})
