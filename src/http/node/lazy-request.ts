// A Web Request that is made when it is first looked at: making one may take longer than a small read, and most hosts look at the token alone.
import { memoFor } from '../../values/memo.ts'

type Make = () => Request

/** Returns a request that is made on first use. It is made at once where the runtime knows a request by what is private to it, so that no other
 *  object can stand for one. */
export const lazyRequest = (make: Make): Request => memoFor(kinds, Request, kindFor)(make)

/** By the class: packages such as servers may put their own in the place of the runtime's at any time. */
const kinds = new WeakMap<typeof Request, (make: Make) => Request>()

function kindFor(): (make: Make) => Request {
  const lazy = standIns()
  return isTaken(lazy) ? lazy : (make) => make()
}

/** True if `new Request` takes an object of ours for the request that it stands for. Node 20 and 22 do. */
function isTaken(lazy: (make: Make) => Request): boolean {
  const whole = new Request('http://localhost/', { headers: { 'x-whole': 'yes' } })
  try {
    return new Request(lazy(() => whole)).headers.get('x-whole') === 'yes'
  } catch {
    return false
  }
}

/** Makes objects with what a request has: its prototype, the members of that, and the fields in which a runtime keeps the parts of a request. */
function standIns(): (make: Make) => Request {
  class StandIn extends Lazy {}
  const { prototype } = StandIn
  Object.setPrototypeOf(prototype, Request.prototype)
  Reflect.deleteProperty(prototype, 'constructor')
  for (const name of Reflect.ownKeys(new Request('http://localhost/'))) getFromWhole(prototype, name, false)
  for (const owner of prototypesOf(Request.prototype))
    for (const name of Reflect.ownKeys(owner)) {
      const { get, value, enumerable = false } = Object.getOwnPropertyDescriptor(owner, name) ?? {}
      if (get) getFromWhole(prototype, name, enumerable)
      else if (typeof value === 'function' && name !== 'constructor')
        callOnWhole(prototype, { name, method: value, enumerable })
    }
  // It has the prototype of a request, and all of its members.
  return (make) => new StandIn(make) as unknown as Request
}

/** The prototypes of a request, those from which others inherit first. */
function prototypesOf(prototype: object): readonly object[] {
  const above: object | null = Object.getPrototypeOf(prototype)
  return above === null || above === Object.prototype ? [prototype] : [...prototypesOf(above), prototype]
}

class Lazy {
  readonly #make: Make
  #whole: Request | undefined

  constructor(make: Make) {
    this.#make = make
  }

  static wholeOf(one: Lazy): Request {
    one.#whole ??= one.#make()
    return one.#whole
  }
}

function getFromWhole(prototype: object, name: string | symbol, enumerable: boolean): void {
  Object.defineProperty(prototype, name, {
    get(this: Lazy) {
      return Reflect.get(Lazy.wholeOf(this), name)
    },
    enumerable,
    configurable: true,
  })
}

interface Member {
  readonly name: string | symbol
  readonly method: (...input: never[]) => unknown
  readonly enumerable: boolean
}

function callOnWhole(prototype: object, { name, method, enumerable }: Member): void {
  Object.defineProperty(prototype, name, {
    value(this: Lazy, ...input: unknown[]) {
      return Reflect.apply(method, Lazy.wholeOf(this), input)
    },
    writable: true,
    enumerable,
    configurable: true,
  })
}
