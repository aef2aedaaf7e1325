/** Returns an object with some members replaced. The methods of the original keep their own `this`, and with it their private fields. */
export function overlay<Target extends object>(
  target: Target,
  members: Readonly<Record<string, unknown>>,
): Target {
  return new Proxy(target, {
    get: (original, key) => {
      if (typeof key === 'string' && Object.hasOwn(members, key)) return members[key]
      const value: unknown = Reflect.get(original, key, original)
      return typeof value === 'function' && !isClass(value) ? value.bind(original) : value
    },
  })
}

// Kysely 0.29 takes the class of control connections from the pool.
const isClass = (value: object) => /^class\b/.test(Function.prototype.toString.call(value))
