/**
 * Loaded into every Node.js process of a test run (NODE_OPTIONS): a connection or look-up that would leave the machine is
 * written to the file that QUAERO_CONNECTIONS names, a line each, and refused.
 */
const { appendFileSync } = require('node:fs')
const dns = require('node:dns')
const { Socket, isIP } = require('node:net')

const file = process.env.QUAERO_CONNECTIONS
const isHere = (host) => !host || /^(localhost|127\.[\d.]+|::1|0\.0\.0\.0|::|::ffff:127\.[\d.]+)$/i.test(host)

function refuse(kind, host) {
  if (file) appendFileSync(file, `${kind} ${host}\n`)
  return Object.assign(new Error(`No connection leaves this test run: ${kind} ${host}`), { code: 'ENETUNREACH' })
}

const { connect } = Socket.prototype
Socket.prototype.connect = function (...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given
  const options = typeof first === 'object' && first !== null ? first : { host: given[1] }
  // A name is refused when it is looked up, unless somebody else looks it up.
  const isName = typeof options.host === 'string' && !isIP(options.host)
  if (options.path || isHere(options.host) || (isName && options.lookup)) return connect.apply(this, given)
  const error = refuse('connect', options.host)
  process.nextTick(() => this.destroy(error))
  return this
}

for (const place of [dns, dns.promises]) {
  const { lookup } = place
  place.lookup = (host, ...rest) => {
    if (isHere(host) || isIP(host)) return lookup.call(place, host, ...rest)
    const error = refuse('look-up', host)
    const callback = rest.at(-1)
    if (typeof callback !== 'function') return Promise.reject(error)
    process.nextTick(callback, error)
  }
}
