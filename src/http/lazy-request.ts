// A Web Request that is made when it is first looked at: making one may take longer than a small read, and most hosts look at the token alone.

/** Returns a request that is made on first use. It is made at once where the runtime knows a request by what is private to it, so that no other
 *  object can stand for one. */
export function lazyRequest(make: () => Request): Request {
  canStandIn ??= isTaken()
  return canStandIn ? standIn(make) : make()
}

let canStandIn: boolean | undefined

/** True if `new Request` takes an object of ours for the request that it stands for. Node 20 and 22 do. */
function isTaken(): boolean {
  const whole = new Request('http://localhost/', { headers: { 'x-whole': 'yes' } })
  try {
    return new Request(standIn(() => whole)).headers.get('x-whole') === 'yes'
  } catch {
    return false
  }
}

class StandIn {
  readonly #make: () => Request
  #whole: Request | undefined

  constructor(make: () => Request) {
    this.#make = make
  }

  static wholeOf(one: StandIn): Request {
    one.#whole ??= one.#make()
    return one.#whole
  }
}

let isEquipped = false

function standIn(make: () => Request): Request {
  if (!isEquipped) equip()
  isEquipped = true
  // It has the prototype of a request, and all of its members.
  return new StandIn(make) as unknown as Request
}

/** Gives stand-ins what a request has: its prototype, the members of that, and the fields in which a runtime keeps the parts of a request. */
function equip(): void {
  const { prototype } = StandIn
  Object.setPrototypeOf(prototype, Request.prototype)
  Reflect.deleteProperty(prototype, 'constructor')
  for (const name of Reflect.ownKeys(new Request('http://localhost/'))) getFromWhole(name, false)
  for (const name of Reflect.ownKeys(Request.prototype)) {
    const { get, value, enumerable = false } = Object.getOwnPropertyDescriptor(Request.prototype, name) ?? {}
    if (get) getFromWhole(name, enumerable)
    else if (typeof value === 'function' && name !== 'constructor') callOnWhole(name, value, enumerable)
  }
}

function getFromWhole(name: string | symbol, enumerable: boolean): void {
  Object.defineProperty(StandIn.prototype, name, {
    get(this: StandIn) {
      return Reflect.get(StandIn.wholeOf(this), name)
    },
    enumerable,
    configurable: true,
  })
}

// Any method is called with whatever it is given.
type Method = (...input: never[]) => unknown

function callOnWhole(name: string | symbol, method: Method, enumerable: boolean): void {
  Object.defineProperty(StandIn.prototype, name, {
    value(this: StandIn, ...input: unknown[]) {
      return Reflect.apply(method, StandIn.wholeOf(this), input)
    },
    writable: true,
    enumerable,
    configurable: true,
  })
}
