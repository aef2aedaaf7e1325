// Callbacks that cannot look at the request, so that none has to be made for them.

/** Matches the source of an arrow function with no parameter, or with one that is a name. Whatever else it is given, it cannot see: it has
 *  no `arguments`. */
const oneParameter = /^(?:async\b\s*)?(?:\(\s*[\w$]*\s*\)|[\w$]+)\s*=>/

const known = new WeakMap<object, boolean>()

/** True if a callback may look at its second argument. Its source tells: its length leaves out parameters with a default, and a rest. */
export function maySeeRequest(callback: object): boolean {
  const kept = known.get(callback)
  if (kept !== undefined) return kept
  const maySee =
    typeof callback !== 'function' || !oneParameter.test(Function.prototype.toString.call(callback))
  known.set(callback, maySee)
  return maySee
}
